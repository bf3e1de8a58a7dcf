#!/bin/sh
# SPDX-License-Identifier: MIT
# tidy.sh BUILD_DIRECTORY quick|analyzer: clang-tidy's short list (.clang-tidy) stays at zero. The
# analyzer's checks take minutes and are the second half (ctest -L long).
set -eu
. "$(dirname "$0")/../prelude.sh"
cd "$root"
needs clang-tidy-14
[ -e "$1/compile_commands.json" ] || skip "$1/compile_commands.json is not there"
case $2 in
  quick) checks=-clang-analyzer-* ;;
  analyzer) checks=-*,clang-analyzer-core.*,clang-analyzer-deadcode.*,clang-analyzer-unix.* ;;
esac

# The product's own files, compiled as they are but for what only gcc understands.
python3 - "$1/compile_commands.json" "$work/compile_commands.json" >"$work/files" <<'END'
import json, os, sys
root = os.getcwd() + os.sep
entries = []
for entry in json.load(open(sys.argv[1])):
    path = os.path.relpath(entry["file"], root)
    if not path.startswith(("..", "tests", "build")):
        for option in (" -fno-tree-loop-distribute-patterns", " -Wno-tsan"):
            entry["command"] = entry["command"].replace(option, "")
        entries.append(entry)
        print(path)
json.dump(entries, open(sys.argv[2], "w"))
END
[ "$(wc -l <"$work/files")" -gt 10 ]
sort -u "$work/files" | xargs -P 2 -n 4 clang-tidy-14 -p "$work" --quiet --checks="$checks" 2>/dev/null
