#!/bin/sh
# SPDX-License-Identifier: MIT
# trees.sh SOFTLBR: `softlbr record -p` of a process records its descendants, those that run and those that come, and
# lists of processes; each has its own mappings, and all go on when the recording ends.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
. "$here/family.sh"

what="a master that sleeps, and its workers"
start workers 3
workers=$(children_of $master)
records 20 "$workers" -p $master
go_on $master $workers
grep -q 'of CPU time of 4 processes' err || fail "$what: they are not counted"
# of all of them, not only of the master, who sleeps: each sample stands for a millisecond
sed -n 's/.*recorded \([0-9.]*\) s of CPU time.*: \([0-9]*\) samples*.*/\1 \2/p' err >said
awk '{ exit !($1 > 0.5 * $2 / 1000) }' said || fail "$what: CPU time"
kill -TERM $master

what="a worker of a worker"
start nested
middle=$(children_of $master)
records 20 "$(children_of "$middle")" -p $master
kill -TERM $master

what="a worker that joins late"
start late
record -p $master -o late.data &
recorder=$!
becomes grep -q 'TracerPid:.*[1-9]' /proc/$master/status
kill -USR1 $master
becomes has_child $master
worker=$(children_of $master)
within 60 holds late.data 60000 || fail "$what: it is not recorded"
kill -INT "$(children_of $recorder)"
wait $recorder || fail "$what: status $?"
has late.data 20 "$worker" || fail "$what: $(cat pids)"
go_on $master $worker
kill -TERM $master

what="workers that live for a moment"
start short 100
record -p $master -o data &
recorder=$!
within 60 grep -q 'TracerPid:.*[1-9]' /proc/$master/status || fail "$what: not traced"
kill -USR1 $master
wait $recorder || fail "$what: status $?"
theirs=$(tail -n 1 said)
said=$(sed -n 's/.*recorded \([0-9.]*\) s of CPU time of 101 processes.*/\1/p' err)
[ -n "$said" ] || fail "$what: not 101"
# the master's own is in it
awk "BEGIN { exit !(1000 * $said > 0.9 * $theirs && 1000 * $said < 1.2 * $theirs) }" || fail "$what: they used $theirs ms"

what="all have ended"
start workers 2
record -p $master -o ended.data &
recorder=$!
within 60 holds ended.data 20000 || fail "$what: not recorded"
kill -TERM $master
wait $recorder || fail "$what: status $?"

what="a master whose main thread has ended"
start headless
records 20 $master -p $master
perf script -i data -F ip,sym 2>perf.err | grep -q ' work' || fail "$what: its functions are not found"
kill -KILL $master

what="the recorder is killed"
start workers 3
workers=$(children_of $master)
record -p $master -o killed.data &
recorder=$!
within 60 holds killed.data 40000 || fail "$what: not recorded"
tracer=$(sed -n 's/TracerPid:[[:space:]]*//p' /proc/$master/status)
kill -KILL "$tracer"
wait $recorder && fail "$what: status 0"
go_on $master $workers
kill -TERM $master

# nothing PATTERN RECORD...: nothing is recorded, which has its status and its reason
nothing() {
  pattern=$1
  shift
  status=0
  record "$@" -o nothing.data || status=$?
  [ $status = 4 ] && grep -q "$pattern" err || fail "$what: status $status, no '$pattern'"
  ! grep -q 'more often' err || [ -n "${often:-}" ] || fail "$what: sampling more often does not help"
}

what="an idle master and idle workers"
start idle 2
nothing 'the 3 processes were idle .* record while they work' -p $master --duration 300ms
kill -TERM $master

what="children that are not in"
start workers 2
nothing '0 samples: 2 child processes are not in the recording; omit --no-children' -p $master --no-children --duration 500ms
workers=$(children_of $master)
for worker in $workers; do break; done
records 20 "$worker" --no-children -p "$worker"
[ "$(wc -l <pids)" = 1 ] || fail "$what: others are in: $(cat pids)"

what="samples far apart"
often=yes
nothing 'samples are 9e+05 ms of it apart; record longer' -p $master -c 900s --duration 1s
often=

what="switched off"
nothing 'none of it while recording was switched on' -p $master --delay 60s --duration 1s &
waiting=$!
within 60 grep -q 'TracerPid:.*[1-9]' /proc/$master/status || fail "$what: not traced"
sleep 0.5
kill -INT "$(sed -n 's/TracerPid:[[:space:]]*//p' /proc/$master/status)"
wait $waiting || exit 1
kill -TERM $master

what="a program that lives in the kernel"
dd if=/dev/zero of=/dev/null bs=16M 2>said &
master=$!
masters="$masters $master"
within 30 grep -q dd /proc/$master/comm || fail "$what: does not start"
nothing "only .* of it in user code: the kernel's is not recorded" -p $master -c 900s --duration 1s
kill -KILL $master

what="a master that calls ptrace, as debuggers do"
${CC:-cc} -O2 -g -pthread -DCALLS_PTRACE "$here/family.c" -o calls-ptrace
family=calls-ptrace
start workers 2
workers=$(children_of $master)
sleep 1.5
records 20 "$workers" -p $master
go_on $master $workers
kill -TERM $master
start late
record -p $master -o later.data &
recorder=$!
within 60 grep -q 'TracerPid:.*[1-9]' /proc/$master/status || fail "$what: not traced"
kill -USR1 $master
becomes has_child $master
worker=$(children_of $master)
within 60 grep -q 'TracerPid:.*[1-9]' "/proc/$worker/status" || fail "$what: the worker does not join"
within 60 holds later.data 60000 || fail "$what: it is not recorded"
kill -INT "$(sed -n 's/TracerPid:[[:space:]]*//p' /proc/$master/status)"
wait $recorder || fail "$what: status $?"
has later.data 20 "$worker" || fail "$what: $(cat pids)"
kill -TERM $master
family=family

what="a worker that has a tracer"
start workers 2
workers=$(children_of $master)
for worker in $workers; do break; done
timeout -s KILL 300 "$softlbr" record -q -o other.data -p "$worker" &
other=$!
within 60 grep -q 'TracerPid:.*[1-9]' "/proc/$worker/status" || fail "$what: not traced"
record -p $master -o data --duration 1s || fail "$what: status $?"
grep -q 'not recorded: .*family: a debugger or tracer is attached to it' err || fail "$what: it is not said"
recorded data >pids
! grep -q " $worker\$" pids || fail "$what: it is recorded"
kill -INT "$(sed -n 's/TracerPid:[[:space:]]*//p' "/proc/$worker/status")"
wait $other || fail "$what: the other's status $?"
kill -TERM $master

what="the recorder is killed while workers that have a signalfd are sampled"
start latched 4
workers=$(children_of $master)
for kill in $(seq 12); do
  rm -f killed.data
  record -p $master -c 250us -o killed.data &
  recorder=$!
  within 60 holds killed.data 10000 || fail "$what: not recorded"
  kill -KILL "$(sed -n 's/TracerPid:[[:space:]]*//p' /proc/$master/status)"
  wait $recorder && fail "$what: status 0"
  go_on $master $workers
done
kill -TERM $master

echo "# two programs whose code is at the same addresses are kept apart"
for name in one two; do
  cat >$name.c <<END
#include <unistd.h>
volatile unsigned long sink;
__attribute__((noinline)) void turns_$name(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i % sizeof("$name") ? i : 3;
}
int main(void)
{
	alarm(120);
	for (unsigned i = 0;; i++)
		turns_$name(i % 64);
}
END
  ${CC:-cc} -O2 -g -no-pie -Wl,--build-id $name.c -o $name
  ./$name &
  masters="$masters $!"
done
one=$!
two=${masters% *}
two=${two##* }
what="a list"
records 20 "$one $two" -p "$one,$two"
records 20 "$one $two" -p "$one" -p "$two"
perf script -i data -F comm,ip,sym 2>perf.err | awk 'NF > 2 { print $1, $3 }' | sort -u >symbols
grep -q 'one .*_one' symbols && grep -q 'two .*_two' symbols || fail "$what: $(cat symbols)"
! grep -q 'one .*_two\|two .*_one' symbols || fail "$what: mixed: $(cat symbols)"
for name in one two; do
  "$softlbr" convert -b $name -p data --to llvm-text=$name.prof 2>err || [ $? = 5 ] || fail "$what: convert"
  grep -q turns_$name $name.prof || fail "$what: $name has no profile"
  [ "$(grep -c '^[^ ]' $name.prof)" -le 2 ] || fail "$what: other functions in $name"
done
go_on "$one" "$two"
record -p "$one,999999999" -o absent --duration 1s && fail "$what: a process that is not there"
grep -q 'process 999999999: No such process' err && [ ! -e absent ] || fail "$what: no such process"
go_on "$one"
echo "PASS"
