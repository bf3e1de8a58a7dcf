#!/bin/sh
# SPDX-License-Identifier: MIT
# model.sh SOFTLBR [OPTION of model.py...]: random sequences of 1,000 calls about signals, threads, memory, processes,
# descriptors and filters, plain and recorded, with the same results. model/ has the calls, model.py runs them;
# docs/survival.md says how to run more.
set -eu
softlbr=$(realpath "$1")
shift
. "$(dirname "$0")/../prelude.sh"
needs gcc python3
needs_recording
gcc -O1 -g -D_GNU_SOURCE -Wall -pthread -o "$work/model" "$here"/model/*.c
chmod 755 "$work"

# What it writes down is the same twice, and shows the steps: else it would compare nothing.
"$work/model" 7 1 300 "$work/one"
"$work/model" 7 1 300 "$work/two"
cmp "$work/one" "$work/two" || fail "not the same twice without softlbr"
# no chance is in it: the seed is 7
[ "$(cut -d' ' -f2 "$work/one" | sort -u | wc -l)" -gt 25 ] || fail "few kinds of steps"
# A change in the process is found: one signal that is blocked from the start.
env --block-signal=USR1 "$work/model" 7 1 300 "$work/three"
! cmp -s "$work/one" "$work/three" || fail "a signal that is blocked makes no difference"

"$here/model.py" "$@" "$softlbr" "$work/model" || fail "see above; --seed S shows one, --shrink S makes it short"
echo "PASS"
