#!/bin/sh
# SPDX-License-Identifier: MIT
# trap_threads.sh SOFTLBR [RUNS]: SIGTRAP between threads, of which some block all signals: where it is found, and by
# whom, is the same plain and recorded, from inside and from outside.
set -eu
softlbr=$1 runs=${2:-1}
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
${CC:-cc} -D_GNU_SOURCE -O2 -g -pthread -Wno-deprecated-declarations "$here/trap_threads.c" -o trap_threads
ulimit -c 0
timeout 300 ./trap_threads >expected || fail "plain: status $?"
for options in "" "-c 1ms --timer-correction=off" "-c 250us --timer-correction=off" "--ptrace -c 1ms --timer-correction=off"; do
  for run in $(seq "$runs"); do
    # shellcheck disable=SC2086
    timeout 300 "$softlbr" record $options -o data -- ./trap_threads >got 2>err || fail "$options: status $?, run $run"
    diff expected got || fail "$options: other output, run $run"
  done
done
echo "PASS"
