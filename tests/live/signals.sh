#!/bin/sh
# SPDX-License-Identifier: MIT
# signals.sh SOFTLBR: SIGTRAP blocked, ignored and handled by the program, handlers on the traced code,
# longjmp, exceptions and coroutines: all as they are without softlbr, from inside and from outside.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording
${CXX:-c++} -O2 -g "$here/signals.cc" -o signals
./signals >expected || fail "without softlbr: $(cat expected)"
check() {
  timeout 300 "$softlbr" record -c 200us --timer-correction=off -o data "$@" -- ./signals >got 2>err ||
    fail "$*: status $?: $(cat got)"
  cmp got expected || fail "$*: other output"
  samples=$(perf script -i data -F ip,sym 2>perf.err | grep -c . || :)
  [ "$samples" -gt 20 ] || fail "$*: $samples samples" # 2,400 +- 50 at least
}
check -e task-clock
check -e task-clock --lookahead off
check --ptrace
check --ptrace --lookahead off
echo "PASS"
