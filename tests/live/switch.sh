#!/bin/sh
# SPDX-License-Identifier: MIT
# switch.sh SOFTLBR: recordings that are switched off and on, by a duty cycle, a socket or signals.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
program=
undo() { [ -z "$program" ] || kill -KILL $program 2>/dev/null || :; }
cd "$work"

needs_recording
for name in attached threads; do
  ${CC:-cc} -O2 -g -pthread "$here/$name.c" -o $name
done

is_there() { grep -q attached /proc/"$(cat pid)"/cmdline; }

# data has some 50 samples more
grows() {
  before=$(stat -c %s data 2>/dev/null || echo 0)
  within 60 holds data $((before + 22000)) || fail "data does not grow"
}

# record OPTION...: a recording of four busy threads, in the background
record() {
  "$softlbr" record -e task-clock -c 1ms --timer-correction=off -o data "$@" -- sh -c 'echo $$ >pid; exec ./attached spin 4' >out 2>err &
  recorder=$!
  within 60 is_there || fail "the program does not start"
  program=$(cat pid)
  rm pid
}

ends() {
  kill -TERM $program
  program=
  wait $recorder || fail "status $?"
  grep -q unchanged out || fail "$(cat out)"
}

events() {
  ls -l /proc/$program/fd | grep -c 'anon_inode:\[perf_event\]' || :
}

has_events() { [ "$(events)" = "$1" ]; }

# becomes on|off; a busy machine needs time to see it, too
becomes() {
  if [ "$1" = off ]; then wanted=0; else wanted=8; fi
  within 60 has_events $wanted || fail "does not become $1: $(events) events"
}

# What was recorded is written, and nothing comes any more.
rests() {
  before=$(stat -c %s data)
  sleep 0.4
  [ "$(stat -c %s data)" = "$before" ]
}

count() {
  perf script -i "$1" -F ip,sym,brstack 2>/dev/null | grep -c . || :
}

echo "# a duty cycle"
record --on 700ms --off 700ms
becomes off
becomes on
grows
becomes off
ends
[ "$(count data)" -gt 20 ] || fail "$(count data) samples"

echo "# a socket"
record --control socket
becomes on
"$softlbr" control -s socket status | grep -q '^ok on, ' || fail "status"
"$softlbr" control -s socket stop >/dev/null
becomes off
"$softlbr" control -s socket status | grep -q '^ok off, ' || fail "status"
is_unhandled() { [ $((0x$(sed -n 's/^SigCgt:[^0-9a-f]*//p' /proc/$program/status) & 16)) = 0 ]; }
within 60 is_unhandled || fail "SIGTRAP is still handled while it is off"
within 5 rests || fail "it records while it is off"
"$softlbr" control -s socket start >/dev/null
becomes on
grows
"$softlbr" control -s socket rotate >/dev/null
within 60 [ -e data.1 ] || fail "no second part"
grows
status=0
"$softlbr" control -s socket dance 2>answer || status=$?
[ $status = 2 ] && grep -q 'not dance' answer || fail "an unknown command: status $status"
ends
[ ! -e socket ] || fail "the socket is left"
for file in data data.1; do
  [ "$(count $file)" -gt 20 ] || fail "$file: $(count $file) samples"
  perf script -i $file -F ip,sym | grep -q ' work' || fail "$file: functions are not found"
done
status=0
"$softlbr" control -s socket start 2>answer || status=$?
[ $status = 1 ] && grep -q 'cannot reach' answer || fail "no recording: status $status"

echo "# signals"
rm -f data data.*
record --signals
becomes on
kill -USR1 $recorder
becomes off
kill -USR1 $recorder
becomes on
grows
kill -USR2 $recorder
within 60 [ -e data.1 ] || fail "no second part"
grows
ends
[ "$(count data)" -gt 20 ] && [ "$(count data.1)" -gt 20 ] || fail "$(count data), $(count data.1) samples"

echo "# attached"
rm -f data data.*
./attached spin 2 >out &
program=$!
within 60 grep -q ready out || fail "the program does not start"
"$softlbr" record -p $program -c 1ms --timer-correction=off --control socket -o data 2>err &
recorder=$!
grows
"$softlbr" control -s socket rotate >/dev/null
within 60 [ -e data.1 ] || fail "no second part"
grows
"$softlbr" control -s socket stop >/dev/null
within 5 rests || fail "it records while it is off"
kill -INT $recorder
wait $recorder || fail "attached: status $?"
kill -TERM $program
wait $program || fail "the program: status $?"
program=
for file in data data.1; do
  perf script -i $file -F ip,sym | grep -q ' thread\| work' || fail "$file: functions are not found"
done

# branches_per_trace COMMAND...: of a recording that is switched
branches_per_trace() {
  "$softlbr" record --duration 1m --stats=stats -o data -- "$@" >out 2>err || :
  sed -n 's/^ *"branches_per_trace": \([0-9]*\).*/\1/p' stats
}

echo "# traces are long, but where threads write what others are about to read"
${CC:-cc} -O2 "$root"/examples/interpreter/*.c -o interpreter
# 1,390 each, from 1,040 to 4,096, and a standard error of 52 of some 160; so below
long=$(branches_per_trace ./interpreter "$root/examples/interpreter/training.asm" 400)
[ "$long" -gt 1100 ] || fail "traces of $long branches by one thread"
# 1,040 each, as the loop comes to nothing new, but for one or two of some 95 that end with the program: it has two
# seconds of processor time, however long that takes
long=$(branches_per_trace prlimit --cpu=2 ./attached spin 2)
[ "$long" -gt 900 ] || fail "traces of $long branches by two threads"
# Where the two take turns nothing changes while a trace is foreseen. In 2 s both run for 1 s at least if they have 3 s of
# processor time; then half of the traces are short, and the mean is below 600.
for try in 1 2 3 4 5 6; do
  short=$(branches_per_trace timeout 2 ./attached changes)
  [ "$short" -ge 900 ] || break
done
used=$(sed -n 's/^softlbr: recorded \([0-9]*\).*/\1/p' err)
if [ "$short" -lt 900 ]; then :; elif [ "${used:-0}" -lt 3 ]; then
  skip_part "two threads have no two processors here: what one writes and the other reads is not tried"
else
  fail "traces of $short branches where a thread reads what another writes"
fi

echo "# a program with a life, switched all the time"
./threads >expected || [ $? = 42 ]
for round in 1 2 3; do
  status=0
  "$softlbr" record -e task-clock -c 300us --timer-correction=off --on 11ms --off 7ms -o data -- ./threads >got 2>err || status=$?
  [ $status = 42 ] || fail "status $status"
  cmp got expected || fail "other output"
done
echo "PASS"
