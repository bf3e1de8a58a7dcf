#!/bin/sh
# SPDX-License-Identifier: MIT
# tidy.sh BUILD_DIRECTORY: clang-tidy's short list (.clang-tidy) stays at zero.
set -eu
cd "$(dirname "$0")/../.."
command -v clang-tidy-14 >/dev/null || {
  echo "SKIP: clang-tidy-14 is not installed"
  exit 77
}
[ -e "$1/compile_commands.json" ] || {
  echo "SKIP: $1/compile_commands.json is not there"
  exit 77
}
files=$(python3 - "$1/compile_commands.json" <<'END'
import json, os, sys
root = os.getcwd() + os.sep
for entry in json.load(open(sys.argv[1])):
    path = os.path.relpath(entry["file"], root)
    if not path.startswith(("..", "tests", "build")):
        print(path)
END
)
[ -n "$files" ]
printf '%s\n' $files | sort -u | xargs -P 2 -n 4 clang-tidy-14 -p "$1" --quiet 2>/dev/null
