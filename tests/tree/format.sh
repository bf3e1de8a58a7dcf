#!/bin/sh
# SPDX-License-Identifier: MIT
# Every C file is formatted as .clang-format says, by the pinned version 14.
set -eu
. "$(dirname "$0")/../prelude.sh"
cd "$root"
needs clang-format-14
files=$(git ls-files '*.c' '*.h' 2>/dev/null || true)
[ -n "$files" ] || files=$(find . -path './build*' -prune -o -name '*.[ch]' -print)
count=$(echo "$files" | wc -l)
[ "$count" -gt 10 ]
clang-format-14 --dry-run -Werror $files
echo "$count files are formatted"
