#!/bin/bash
# SPDX-License-Identifier: MIT
# slots.sh SOFTLBR: the four hardware breakpoints are shared with a debugger: it gets three beside ours, and
# where it has all, traces end early, which is counted and said, and the program goes on.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
program= debugger= others=
undo() { kill -KILL $program $debugger $others 2>/dev/null || :; }
cd "$work"
needs_recording_inside
for name in attached slots threads; do
  ${CC:-cc} -O2 -g -pthread "$here/$name.c" -o $name
done

# takes TID NUMBER: a debugger comes, and gets so many
takes() {
  rm -f taken # of the one before
  ./slots "$1" >taken &
  debugger=$!
  becomes test -s taken
  [ "$(cat taken)" = "took $2" ] || fail "a debugger $(cat taken), not $2"
}

leaves() {
  kill -KILL $debugger
  wait $debugger 2>/dev/null || :
  debugger=
}

# stats EXPRESSION: of c, what was counted
stats() {
  python3 -c "import json; c = json.load(open('stats.json'))['counters']; assert $1, c" || fail "$1"
}

echo "# a debugger comes while a program is recorded"
"$softlbr" record -e task-clock -c 1ms --lookahead static -o data --stats stats.json -- \
  sh -c 'echo $$ >pid; exec ./attached spin 1' >out 2>err &
recorder=$!
becomes grep -q ready out
program=$(cat pid)
takes "$program" 3
leaves
kill -TERM "$program"
wait $recorder || fail "status $?"
program=
stats "c['traces'] > 0 and c['no_breakpoint'] == 0"

echo "# one that has all was there before"
./attached spin 1 >out &
program=$!
becomes grep -q ready out
takes $program 4
"$softlbr" record -p $program -c 1ms --lookahead static -o data --stats stats.json --duration 2s 2>err || [ $? = 4 ] || fail "status $?"
stats "c['sample_stops'] > 0 and c['no_breakpoint'] == c['sample_stops'] - c['in_kernel'] and c['breakpoints'] == 0"
grep -q 'cut short: no hardware breakpoint' err || fail "it is not said"

echo "# the end of a recording comes while a thread is to stop: it waits for its processor, which others have"
processor=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
for other in $(seq 10); do
  taskset -c $processor sh -c 'while :; do :; done' &
  others="$others $!"
done
taskset -p -c $processor $program >/dev/null
for time in $(seq 8); do
  "$softlbr" record -p $program -c 1ms --lookahead static -o data --stats stats.json --duration 300ms 2>err || [ $? = 4 ] || fail "status $?"
  stats "c['no_breakpoint'] == c['sample_stops'] - c['in_kernel']"
done
kill -KILL $others
wait $others 2>/dev/null || :
others=
leaves
"$softlbr" record -p $program -c 1ms --lookahead static -o data --stats stats.json --duration 2s 2>err || fail "status $?"
stats "c['breakpoints'] > 0 and c['no_breakpoint'] == 0"
kill -TERM $program
wait $program || fail "the program: status $?"
program=

echo "# and of a command"
./threads >expected || [ $? = 42 ]
status=0
./slots run "$softlbr" record -e task-clock -c 1ms --timer-correction=off -o data --stats stats.json -- ./threads >got 2>err || status=$?
[ $status = 42 ] && cmp got expected || fail "a command: status $status"
grep -q 'refuses hardware breakpoints' err || fail "it is not said"
stats "c['traces'] > 0"
echo "PASS"
