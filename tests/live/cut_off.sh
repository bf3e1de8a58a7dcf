#!/bin/sh
# SPDX-License-Identifier: MIT
# cut_off.sh SOFTLBR: files that are cut off while they are read are errors with a name (cut_off.py).
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs gcc objdump python3
cases=$root/tests/cases
gcc -O1 -g -fno-if-conversion -o "$work/loop" "$cases/loop.c" || fail "no program"
(cd "$work" && python3 "$cases/recording.py" loop loop.data --samples 1000) || fail "no recording"
python3 "$here/cut_off.py" "$softlbr" "$work" || fail "a file that was cut off"
