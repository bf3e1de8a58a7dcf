#!/bin/sh
# SPDX-License-Identifier: MIT
# own_traps.sh SOFTLBR [RUNS]: SIGTRAP of the program's own, blocked, waited for, ignored, inherited and handled: its
# output is the same plain and recorded, from inside and from outside.
set -eu
softlbr=$1 runs=${2:-1}
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
${CC:-cc} -D_GNU_SOURCE -O2 -g -pthread -Wno-deprecated-declarations "$here/own_traps.c" "$here/own_traps_raised.c" -o own_traps
ulimit -c 0
timeout 300 ./own_traps >expected || fail "plain: status $?"
for options in "" "-c 1ms --timer-correction=off" "-c 250us --timer-correction=off" "--ptrace -c 1ms --timer-correction=off"; do
  for run in $(seq "$runs"); do
    # shellcheck disable=SC2086
    timeout 300 "$softlbr" record $options -o data -- ./own_traps >got 2>err || fail "$options: status $?, run $run"
    diff expected got || fail "$options: other output, run $run"
  done
done
echo "PASS"
