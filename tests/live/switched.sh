#!/bin/sh
# SPDX-License-Identifier: MIT
# switched.sh SOFTLBR: threads that are switched all the time are sampled by timers, which cost nothing at switches, as
# well as others are by events; no system call of theirs ends by that, and children and what they execute are sampled.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
[ "$(uname -m)" = x86_64 ] || skip "timers are used on x86-64 only"
${CC:-cc} -O2 -g -D_GNU_SOURCE -pthread "$here/switched.c" -o switched

# counted NAME: of the last recording
counted() { sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" stats | head -1; }

# record COMMAND...: no call of the program fails
record() {
  timeout -s KILL 300 "$softlbr" record --stats=stats -o data -- "$@" >out 2>err || fail "$*: status $?: $(cat out err)"
  [ "$(sort -u out)" = "0 calls failed" ] || fail "$*: $(cat out err)"
}

record ./switched 40000 1
[ "$(wc -l <out)" = 4 ] || fail "not all were run: $(cat out)"
# all 16 that are switched; 90 +- 10 traces
[ "$(counted threads_by_timer)" -ge 8 ] || fail "by timers: $(counted threads_by_timer) of $(counted threads) threads"
[ "$(counted traces)" -ge 40 ] || fail "$(counted traces) traces: $(cat err)"
echo "$(counted threads_by_timer) of $(counted threads) threads by timers, $(counted traces) traces"
"$softlbr" convert -b switched -p data -t preagg=aggregated 2>err || [ $? = 5 ] || fail "convert: $(cat err)"

# where the kernel gives no timer, events sample on
record prlimit --sigpending=0 ./switched 40000 0
[ "$(counted threads_by_timer)" = 0 ] || fail "timers without room for signals"
# 55 +- 8
[ "$(counted traces)" -ge 4 ] || fail "without timers: $(counted traces) traces: $(cat err)"
echo "PASS"
