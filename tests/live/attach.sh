#!/bin/sh
# SPDX-License-Identifier: MIT
# attach.sh SOFTLBR: `softlbr record -p`, and what is traced because it can't be preloaded, go on as if
# nothing had happened.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
program=
undo() { [ -z "$program" ] || kill -KILL $program 2>/dev/null || :; }
cd "$work"

for name in attached threads refuse debug_registers churn; do
  ${CC:-cc} -O2 -g -pthread "$here/$name.c" -o $name
done
${CC:-cc} -O2 -g -static -pthread "$here/attached.c" -o attached-static
${CC:-cc} -O2 -g -static -pthread "$here/threads.c" -o threads-static
can_attach || skip "$(cat err)"

samples() {
  perf script -i "$1" -F tid,ip,sym,brstack 2>perf.err || fail "perf: $(cat perf.err)"
  ! grep -qi -e error -e warning perf.err || fail "perf complains: $(cat perf.err)"
}

# Nothing here is a matter of time: on a busy machine a program may have a thirtieth of it, or none, which has status 4.

threads_of() { awk '{ print $1 }' "$1" | sort -u | wc -l; }
is_traced() { grep -q 'TracerPid:.*[1-9]' /proc/$program/status; }
is_free() { grep -q 'TracerPid:[[:space:]]*0' /proc/$program/status; }
is_stopped() { grep -q 'State:.*[Tt] ' /proc/$program/status; }
goes_on() { ! is_stopped; }

start() {
  "$@" >out 2>&1 &
  program=$!
  becomes grep -q ready out
}

# record SAMPLES TASKS NAME RECORD...: attach for longer until NAME.data has so many samples of so many
# threads; they are in text
record() {
  least=$1
  tasks=$2
  name=$3
  shift 3
  for time in 700ms 4s 25s; do
    "$@" -p $program -o $name.data --duration $time 2>err || fail "$name: status $?"
    samples $name.data >text
    if [ "$(wc -l <text)" -ge "$least" ] && [ "$(threads_of text)" -ge "$tasks" ]; then return; fi
  done
  fail "$name: $(wc -l <text) samples of $(threads_of text) threads"
}

# number NAME: a counter of stats
number() { sed -n "s/^ *\"$1\": \([0-9][0-9]*\).*/\1/p" stats | head -n 1; }

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
    "$softlbr" record -c 500us --timer-correction=off -o static.data -- ./threads-static >got 2>err || status=$?
  else
    ./refuse errno "$softlbr" record --ptrace -c 500us --timer-correction=off -o static.data -- ./threads >got 2>err ||
      status=$?
  fi
  [ $status = 42 ] || fail "$form: status $status"
  cmp got expected || fail "$form: other output"
  samples static.data >text
  [ "$(wc -l <text)" -gt 50 ] || fail "$form: $(wc -l <text) samples" # 430 +- 21
  grep -q ' work' text || fail "$form: functions are not found"
  [ "$(awk '{ print $1 }' text | sort -u | wc -l)" -ge 5 ] || fail "$form: samples of few threads" # 10, of 25 samples each
done
status=0
"$softlbr" record --ptrace -o none -- ./threads abort >got 2>err || status=$?
[ $status = 134 ] || fail "abort: status $status"
status=0
rm -f none
"$softlbr" record --ptrace -o none -- ./does-not-exist >got 2>err || status=$?
[ $status = 127 ] && [ ! -e none ] || fail "no such command: status $status"

echo "# running programs, perf events refused or not"
for form in './attached-static spin 1' './attached spin 6'; do
  for refuse in '' './refuse errno'; do
    start $form
    record 50 ${form##* } running $refuse "$softlbr" record -c 1ms --timer-correction=off
    clean
    ends 0
    grep -q ' thread\| work\| main\| spin' text || fail "$form: functions are not found"
  done
done
"$softlbr" convert --binary attached --profile running.data --to preagg=preagg 2>err || [ $? = 5 ] || fail "convert"
[ "$(grep -c '^B' preagg)" -ge 2 ] || fail "few branches"

echo "# by default traces are as long as from inside, and timed; without perf events they have the model's rates"
for refuse in '' './refuse errno'; do
  start ./attached-static words
  for time in 700ms 4s 25s; do
    $refuse "$softlbr" record -p $program --duration $time --stats=stats -o words.data 2>err || fail "words: status $?"
    [ "$(number traces)" -lt 10 ] || break
  done
  clean
  ends 0
  [ "$(number branches)" -ge $(($(number traces) * 1024)) ] || fail "words: short traces: $(cat stats)"
  [ -n "$refuse" ] || [ "$(number probes_timed)" -ge $(($(number traces) / 2)) ] || fail "words: not timed: $(cat stats)"
  perf script -i words.data -F weight 2>perf.err | sort -u >weights
  [ "$(wc -l <weights)" -ge 5 ] && ! grep -qx ' *0' weights || fail "words: weights: $(cat weights)"
done

echo "# threads that come while the others are being attached are no other tracer's"
start ./churn
for i in 1 2 3 4 5 6 7 8 9 10; do
  "$softlbr" record -p $program --duration 50ms -o churn.data 2>err || [ $? = 4 ] || fail "threads that come: attempt $i"
done
kill -KILL $program
program=

echo "# a program that sleeps in epoll_wait is not woken; SIGTRAP's mask and handler stay"
for form in wait trap; do
  start ./attached $form
  record 20 1 $form "$softlbr" record -c 300us --timer-correction=off
  [ $form = wait ] || clean # to look at the registers would wake it
  ends 0
done

echo "# every branch by a breakpoint"
start ./attached spin 2
record 20 1 off "$softlbr" record --lookahead off -c 2ms
clean
ends 0

echo "# it forks and spawns while attached: the children are recorded too"
start ./attached life
record 20 4 life "$softlbr" record -c 500us --timer-correction=off
clean
ends 0
grep -q '^unchanged' out || fail "life: $(cat out)"

echo "# it becomes another program while attached"
start ./attached exec
"$softlbr" record -p $program -c 1ms --timer-correction=off -o exec.data 2>err &
recorder=$!
becomes holds exec.data 20000
kill -USR1 $program
becomes grep -q exe /proc/$program/comm
before=$(stat -c %s exec.data)
becomes holds exec.data $((before + 20000))
kill -INT $recorder
wait $recorder || fail "exec: status $?"
clean
ends 0
grep -q '^unchanged' out || fail "exec: $(cat out)"
perf script -i exec.data -F comm,ip,sym >text 2>perf.err || fail "exec: perf: $(cat perf.err)"
for name in attached exe; do # as /proc/self/exe was executed
  grep -q "^ *$name .*\(become_another\|thread\|work\)" text || fail "exec: no samples of $name"
done

echo "# program and recorder in a container that refuses perf events"
start ./refuse container ./attached spin 3
record 20 3 container ./refuse container "$softlbr" record -c 1ms --timer-correction=off
clean
ends 0

echo "# stopped and continued"
start ./attached spin 2
"$softlbr" record -p $program -c 1ms --timer-correction=off -o stopped.data 2>err &
recorder=$!
becomes holds stopped.data 20000
kill -STOP $program
becomes is_stopped
sleep 0.3 # stays so, though its threads are asked to stop for samples meanwhile
is_stopped || fail "not stopped any more: $(grep State /proc/$program/status)"
kill -CONT $program
becomes goes_on
before=$(stat -c %s stopped.data)
becomes holds stopped.data $((before + 20000))
kill -INT $recorder
wait $recorder || fail "stopped: status $?"
clean
ends 0

echo "# it ends while attached; SIGINT ends the recording"
start ./attached spin 2
"$softlbr" record -p $program -c 1ms --timer-correction=off -o ended.data 2>err &
recorder=$!
becomes is_traced
ends 0
wait $recorder || [ $? = 4 ] || fail "ended: status $?"
start ./attached spin 2
"$softlbr" record -p $program -c 1ms --timer-correction=off -o interrupted.data 2>err &
recorder=$!
becomes is_traced
kill -TERM $recorder
wait $recorder || [ $? = 4 ] || fail "interrupted: status $?"
clean

echo "# the recorder is killed: the program goes on, clean, and what was recorded is readable"
"$softlbr" record -p $program -c 1ms --lookahead off -o killed.data 2>err &
recorder=$!
becomes holds killed.data 50000
kill -KILL $recorder
becomes is_free
clean
ends 0
[ "$(samples killed.data | wc -l)" -gt 20 ] || fail "killed: few samples" # 50,000 bytes are 100

echo "# files that were replaced while they ran, as by an upgrade, have the build-ids of what runs"
cat >turns.c <<'END'
volatile unsigned long sink;
void turns(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i % TURNS ? i : 3;
}
END
cat >replaced.c <<'END'
#include <stdio.h>
void turns(unsigned n);
int main(void)
{
	puts("ready");
	fflush(stdout);
	for (;;)
		for (unsigned i = 0; i < 100000; i++)
			if (i % (2 * TURNS))
				turns(i % 64);
}
END
for turns in 3 5; do
  mkdir -p replaced.$turns
  ${CC:-cc} -O2 -g -DTURNS=$turns -Wl,--build-id -Wl,-soname,libturns.so -shared -fPIC turns.c -o replaced.$turns/libturns.so
  ${CC:-cc} -O2 -g -DTURNS=$turns -Wl,--build-id replaced.c replaced.$turns/libturns.so -o replaced.$turns/replaced
done
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
cp -r replaced.3 run
export LD_LIBRARY_PATH=run
start run/replaced
unset LD_LIBRARY_PATH
for file in replaced libturns.so; do
  cp replaced.5/$file run/new
  mv run/new run/$file
done
record 5 1 replaced "$softlbr" record
"$softlbr" show --by modules replaced.data >modules 2>&1 || :
grep -q "$(id_of replaced.3/replaced)  .*run/replaced (deleted)" modules || fail "the program: $(cat modules)"
files="replaced"
if [ "$(id -u)" = 0 ] && ls -L /proc/$program/map_files >/dev/null 2>&1; then
  files="replaced libturns.so"
else
  skip_part "not root: what libraries were is not known"
fi
for file in $files; do
  "$softlbr" convert -b replaced.3/$file -p replaced.data --to preagg=old 2>err || [ $? = 5 ] || fail "$file as it ran is not taken"
  ! "$softlbr" convert -b run/$file -p replaced.data --to preagg=new 2>err || fail "$file as it is now is taken"
  grep -q "its build-id is $(id_of run/$file), that of .*$file (deleted) in the recording is $(id_of replaced.3/$file)" err ||
    fail "it does not say what differs"
done
kill -KILL $program
program=

echo "# refusals say why"
start ./attached spin 1
"$softlbr" record -p $program -o first.data 2>first &
recorder=$!
becomes is_traced
status=0
"$softlbr" record -p $program -o none --duration 1s 2>err || status=$?
[ $status = 125 ] && grep -q 'traces it already' err || fail "second tracer: status $status"
kill -INT $recorder
wait $recorder || [ $? = 4 ] || fail "the first tracer: status $?"
ends 0
status=0
"$softlbr" record -p 999999999 -o none 2>err || status=$?
[ $status = 125 ] || fail "no such process: status $status"
[ ! -e none ] || fail "a recording of nothing is left"
echo "PASS"
