#!/bin/bash
# SPDX-License-Identifier: MIT
# The JavaScript of pages, and of their tests: eslint has nothing to say, and a page's script is at most 600 lines.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
needs npm eslint
cd "$root"
NODE_PATH=$(npm root -g)
export NODE_PATH
files="report/html/page.js $(echo tests/live/*.js scripts/*.js)"
eslint --max-warnings 0 -c tests/tree/eslint.config.cjs $files || fail "eslint complains"
lines=$(wc -l <report/html/page.js)
[ "$lines" -le 600 ] || fail "report/html/page.js has $lines lines; 600 is the most"
echo "$(echo $files | wc -w) files are as eslint wants them; the page's script has $lines lines"
