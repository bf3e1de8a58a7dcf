#!/bin/sh
# SPDX-License-Identifier: MIT
# allocations.sh SOFTLBR POINTS: out of memory is never a good end (allocations.py).
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs gcc python3
in=$work cases=$root/tests/cases
export in cases
bash -e "$cases/inputs.sh" >"$work/err" 2>&1 || fail "no inputs"
"$softlbr" gcc-keys -o "$work/keys" --root="$work" -- gcc -O1 -g -fno-if-conversion -o "$work/keyed" "$cases/loop.c" 2>"$work/err" ||
  fail "no keys: $(cat "$work/err")"
rm "$work/err"
cp -r "$cases/update-llvm/old" "$cases/update-llvm/new" "$cases/update-llvm/old.prof" "$work"
${CC:-cc} -O1 -shared -fPIC -o "$work/allocations.so" "$here/allocations.c" || fail "no library"
python3 "$here/allocations.py" "$(dirname "$softlbr")/softlbr-full" "$work/allocations.so" "$work" "$2" || fail "a good end without memory"
