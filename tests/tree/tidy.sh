#!/bin/sh
# SPDX-License-Identifier: MIT
# tidy.sh BUILD_DIRECTORY quick|analyzer: clang-tidy's short list (.clang-tidy) stays at zero. The
# analyzer's checks take minutes and are the second half (ctest -L long).
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
case $2 in
  quick) checks=-clang-analyzer-* ;;
  analyzer) checks=-*,clang-analyzer-core.*,clang-analyzer-deadcode.*,clang-analyzer-unix.* ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The product's own files, compiled as they are but for what only gcc understands.
python3 - "$1/compile_commands.json" "$work/compile_commands.json" >"$work/files" <<'END'
import json, os, sys
root = os.getcwd() + os.sep
entries = []
for entry in json.load(open(sys.argv[1])):
    path = os.path.relpath(entry["file"], root)
    if not path.startswith(("..", "tests", "build")):
        entry["command"] = entry["command"].replace(" -fno-tree-loop-distribute-patterns", "")
        entries.append(entry)
        print(path)
json.dump(entries, open(sys.argv[2], "w"))
END
[ "$(wc -l <"$work/files")" -gt 10 ]
sort -u "$work/files" | xargs -P 2 -n 4 clang-tidy-14 -p "$work" --quiet --checks="$checks" 2>/dev/null
