#!/bin/bash
# SPDX-License-Identifier: MIT
# Every script is one that its interpreter reads. The JavaScript of pages, and of their tests: eslint has nothing to say,
# and a page's script is at most 600 lines.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
cd "$root"
read=0
while IFS= read -r file; do
  case $file:$(head -n 1 "$file") in
    *.sh:'#!/bin/sh') sh -n "$file" ;;
    *.sh:'#'* | *.sh:[a-z]*=*) bash -n "$file" ;;
    *.py:'#'* | *.py:'"""'*) python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$file" ;;
    *) fail "$file begins as no script: $(head -n 1 "$file")" ;;
  esac || fail "$file can't be read by its interpreter"
  read=$((read + 1))
done < <(find . -path './build*' -prune -o \( -name '*.sh' -o -name '*.py' \) -print)
[ "$read" -gt 300 ]
echo "$read scripts can be read"
needs npm eslint
NODE_PATH=$(npm root -g)
export NODE_PATH
files="report/html/page.js $(echo tests/live/*.js scripts/*.js)"
eslint --max-warnings 0 -c tests/tree/eslint.config.cjs $files || fail "eslint complains"
lines=$(wc -l <report/html/page.js)
[ "$lines" -le 600 ] || fail "report/html/page.js has $lines lines; 600 is the most"
echo "$(echo $files | wc -w) files are as eslint wants them; the page's script has $lines lines"
