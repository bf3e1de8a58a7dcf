#!/bin/sh
# SPDX-License-Identifier: MIT
# attach_states.sh SOFTLBR: `softlbr record -p` of processes that are not simply running: what can't be recorded is
# refused with the reason, and nothing hangs.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
pids=
undo() { [ -z "$pids" ] || kill -KILL $pids 2>/dev/null || :; }
cd "$work"
can_attach || skip "$(cat err)"
${CC:-cc} -O2 -g -pthread "$here/process_states.c" -o process_states

# record PID STATUS [TEXT]: recording for a moment ends with this status, and says so
record() {
  status=0
  timeout -s KILL 300 "$softlbr" record -c 1ms --timer-correction=off -o data -p "$1" --duration 200ms >out 2>err || status=$?
  [ $status = "$2" ] || fail "$what: status $status"
  if [ -n "${3:-}" ]; then grep -q "$3" err || fail "$what: no '$3'"; fi
}

# start FORM: a program in this state; its number is in pid
start() {
  ./process_states "$1" >number &
  pids="$pids $!"
  within 30 test -s number || fail "$1: does not start"
  read -r pid <number
  pids="$pids $pid"
  rm number
}

what="a zombie"
start zombie
record "$pid" 125 'has ended'
! grep -q 'must be yours' err || fail "$what: another reason as well"
[ ! -e data ] || fail "$what: a recording of nothing is left"

what="a process whose first thread has ended"
start headless
record "$pid" 0

what="a stopped process"
start stopped
record "$pid" 4 'was idle'
# the kernel wakes it when its tracer ends, only to stop it again: for a moment it says R
within 30 grep -q 'State:.*T ' "/proc/$pid/status" || fail "$what: it is not stopped any more"

what="the recorder itself"
sh -c 'exec timeout -s KILL 300 "$0" record -c 1ms --timer-correction=off -o own -p $$ --duration 200ms' "$softlbr" >out 2>err ||
  [ $? = 4 ] || fail "$what: status $?"

what="the shell that waits for it"
sh -c '"$0" record -c 1ms --timer-correction=off -o shell -p $$ --duration 200ms; [ $? = 4 ] && echo goes on' "$softlbr" >out 2>err ||
  fail "$what: status $?"
grep -q 'goes on' out || fail "$what: it does not go on"

what="no process"
record 999999999 125 'No such process'

# the kernel's first thread, where it can be seen
if grep -q '^Kthread:[[:space:]]*1' /proc/2/status 2>/dev/null; then
  what="a thread of the kernel"
  record 2 125 "of the kernel's"
fi

if unshare -pf --mount-proc true 2>/dev/null; then
  what="a process of another namespace"
  unshare -pf --mount-proc "$work/process_states" spin >number &
  outer=$!
  # its number there says nothing here; it is the child's child
  is_inside() {
    inner=$(cat /proc/$outer/task/$outer/children) && inner=${inner%% *} && [ /proc/"$inner"/exe -ef process_states ]
  }
  within 30 is_inside || fail "$what: does not start"
  pids="$pids $inner"
  is_recorded() {
    record "$inner" 0
    perf script -i data -F tid,ip 2>err | grep -q "$inner"
  }
  within 2 is_recorded || fail "$what: not recorded" # until it had a processor
  what="a process that this namespace does not have"
  status=0
  unshare -pf --mount-proc timeout -s KILL 300 "$softlbr" record -o data -p "$inner" --duration 200ms 2>err ||
    status=$?
  [ $status = 125 ] && grep -q 'No such process' err || fail "$what: status $status"
else
  skip_part "no namespaces of processes here"
fi
echo "PASS"
