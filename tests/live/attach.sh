#!/bin/sh
# SPDX-License-Identifier: MIT
# attach.sh SOFTLBR: `softlbr record -p`, and what is traced because it can't be preloaded, go on as if
# nothing had happened.
set -eu
softlbr=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
program=
trap '[ -z "$program" ] || kill -KILL $program 2>/dev/null || :; rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAIL: $*"
  [ ! -e err ] || cat err
  exit 1
}

for name in attached threads refuse debug_registers; do
  ${CC:-cc} -O2 -g -pthread "$here/$name.c" -o $name
done
${CC:-cc} -O2 -g -static -pthread "$here/attached.c" -o attached-static
${CC:-cc} -O2 -g -static -pthread "$here/threads.c" -o threads-static
"$softlbr" record --attach -o none -- true 2>err || {
  grep -q 'refuses to trace' err && echo "SKIP: $(cat err)" && exit 77
  fail "cannot attach"
}

samples() {
  perf script -i "$1" -F tid,ip,sym,brstack 2>perf.err || fail "perf: $(cat perf.err)"
  ! grep -qi -e error -e warning perf.err || fail "perf complains: $(cat perf.err)"
}

start() {
  "$@" >out 2>&1 &
  program=$!
  sleep 0.3
}

clean() {
  ./debug_registers $program >registers || fail "left behind: $(cat registers)"
}

# ends STATUS: the program ends with it when asked to
ends() {
  kill -TERM $program
  status=0
  wait $program || status=$?
  program=
  [ $status = "$1" ] || fail "status $status, not $1: $(cat out)"
}

echo "# a command that is static is traced by itself; its status and output are its own"
./threads >expected || [ $? = 42 ]
for form in ./threads-static './refuse errno'; do
  status=0
  if [ "$form" = ./threads-static ]; then
    "$softlbr" record -c 500us -o static.data -- ./threads-static >got 2>err || status=$?
  else
    ./refuse errno "$softlbr" record --attach -c 500us -o static.data -- ./threads >got 2>err ||
      status=$?
  fi
  [ $status = 42 ] || fail "$form: status $status"
  cmp got expected || fail "$form: other output"
  samples static.data >text
  [ "$(wc -l <text)" -gt 50 ] || fail "$form: $(wc -l <text) samples"
  grep -q ' work' text || fail "$form: functions are not found"
  [ "$(awk '{ print $1 }' text | sort -u | wc -l)" -ge 5 ] || fail "$form: samples of few threads"
done
status=0
"$softlbr" record --attach -o none -- ./threads abort >got 2>err || status=$?
[ $status = 134 ] || fail "abort: status $status"
status=0
rm -f none
"$softlbr" record --attach -o none -- ./does-not-exist >got 2>err || status=$?
[ $status = 127 ] && [ ! -e none ] || fail "no such command: status $status"

echo "# running programs, perf events refused or not"
for form in './attached-static spin 1' './attached spin 6'; do
  for refuse in '' './refuse errno'; do
    start $form
    $refuse "$softlbr" record -p $program -c 1ms -o running.data --duration 700ms 2>err || fail "$form"
    clean
    ends 0
    samples running.data >text
    [ "$(wc -l <text)" -gt 50 ] || fail "$form: $(wc -l <text) samples"
    grep -q ' thread\| work\| main\| spin' text || fail "$form: functions are not found"
  done
done
[ "$(awk '{ print $1 }' text | sort -u | wc -l)" = 6 ] || fail "not all 6 threads have samples"
"$softlbr" convert --binary attached --profile running.data --to preagg=preagg 2>err || fail "convert"
[ "$(grep -c '^B' preagg)" -ge 2 ] || fail "few branches"

echo "# a program that sleeps in epoll_wait is not woken; SIGTRAP's mask and handler stay"
for form in wait trap; do
  start ./attached $form
  "$softlbr" record -p $program -c 300us -o $form.data --duration 2s 2>err || fail "$form"
  [ $form = wait ] || clean # to look at the registers would wake it
  ends 0
  [ "$(samples $form.data | wc -l)" -gt 20 ] || fail "$form: few samples"
done

echo "# every branch by a breakpoint"
start ./attached spin 2
"$softlbr" record -p $program --lookahead off -c 2ms -o off.data --duration 700ms 2>err || fail "off"
clean
ends 0
[ "$(samples off.data | wc -l)" -gt 20 ] || fail "off: few samples"

echo "# it forks and spawns while attached: the children are recorded too"
start ./attached life
"$softlbr" record -p $program -c 500us -o life.data --duration 3s 2>err || fail "life"
clean
ends 0
grep -q '^unchanged' out || fail "life: $(cat out)"
samples life.data >text
[ "$(awk '{ print $1 }' text | sort -u | wc -l)" -ge 4 ] || fail "life: samples of few processes"

echo "# it becomes another program while attached"
start ./attached exec
"$softlbr" record -p $program -c 1ms -o exec.data --duration 4s 2>err &
recorder=$!
sleep 1
kill -USR1 $program
wait $recorder || fail "exec"
clean
ends 0
grep -q '^unchanged' out || fail "exec: $(cat out)"
perf script -i exec.data -F comm,ip,sym >text 2>perf.err || fail "exec: perf: $(cat perf.err)"
for name in attached exe; do # as /proc/self/exe was executed
  grep -q "^ *$name .*\(become_another\|thread\|work\)" text || fail "exec: no samples of $name"
done

echo "# program and recorder in a container that refuses perf events"
start ./refuse container ./attached spin 3
./refuse container "$softlbr" record -p $program -c 1ms -o container.data --duration 1s 2>err || fail "container"
clean
ends 0
[ "$(samples container.data | awk '{ print $1 }' | sort -u | wc -l)" = 3 ] || fail "container: not all threads"

echo "# stopped and continued"
start ./attached spin 2
"$softlbr" record -p $program -c 1ms -o stopped.data --duration 2s 2>err &
recorder=$!
sleep 0.5
kill -STOP $program
sleep 0.3
grep -q 'State:.*[Tt] ' /proc/$program/status || fail "not stopped: $(grep State /proc/$program/status)"
kill -CONT $program
sleep 0.2
grep -q 'State:.*[Tt] ' /proc/$program/status && fail "not continued"
wait $recorder || fail "record"
clean
ends 0

echo "# it ends while attached; SIGINT ends the recording"
start ./attached spin 2
"$softlbr" record -p $program -c 1ms -o ended.data 2>err &
recorder=$!
sleep 0.5
ends 0
wait $recorder || fail "record"
start ./attached spin 2
"$softlbr" record -p $program -c 1ms -o interrupted.data 2>err &
recorder=$!
sleep 0.5
kill -TERM $recorder
wait $recorder || fail "record"
clean

echo "# the recorder is killed: the program goes on, clean, and what was recorded is readable"
"$softlbr" record -p $program -c 1ms --lookahead off -o killed.data 2>err &
recorder=$!
sleep 0.7
kill -KILL $recorder
sleep 0.5
clean
ends 0
[ "$(samples killed.data | wc -l)" -gt 20 ] || fail "killed: few samples"

echo "# refusals say why"
start ./attached spin 1
"$softlbr" record -p $program -o first.data --duration 1s 2>first &
recorder=$!
sleep 0.4
status=0
"$softlbr" record -p $program -o none --duration 1s 2>err || status=$?
[ $status = 125 ] && grep -q 'traces it already' err || fail "second tracer: status $status"
wait $recorder
ends 0
status=0
"$softlbr" record -p 999999999 -o none 2>err || status=$?
[ $status = 125 ] || fail "no such process: status $status"
[ ! -e none ] || fail "a recording of nothing is left"
echo "PASS"
