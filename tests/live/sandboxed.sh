#!/bin/bash
# SPDX-License-Identifier: MIT
# sandboxed.sh SOFTLBR [whole [RUNS]]: programs that put themselves under a filter of system calls, trace their
# children, take all hardware breakpoints or limit their memory: the same output and status as without softlbr, also
# where they violate their filter, and what ran before is recorded. A part of the ways, once; whole: all, RUNS times
# (20), with default options, 1 ms and 250 us.
set -euo pipefail
softlbr=$1
whole=${2:-}
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
for name in sandboxed traced watch_points limited; do
  ${CC:-cc} -O2 -g -pthread "$here/$name.c" -o $name
done
if [ -n "$whole" ]; then
  runs=${3:-20}
  settings=('' '-e task-clock -c 1ms --timer-correction=off' '-e task-clock -c 250us --timer-correction=off' '-e task-clock -c 250us --timer-correction=off --on 11ms --off 7ms')
  outside=('--ptrace' '--ptrace -c 1ms --timer-correction=off' '--ptrace -c 250us --timer-correction=off')
else
  runs=1
  settings=('-e task-clock -c 250us --timer-correction=off')
  outside=('--ptrace -c 1ms --timer-correction=off')
fi
can_attach || outside=()

# same SETTINGS PROGRAM ARGUMENT...: as often as asked
same() {
  local options=$1 status=0 expected=0
  shift
  ./"$@" >expected 2>/dev/null || expected=$?
  for run in $(seq "$runs"); do
    status=0
    timeout 300 "$softlbr" record $options -o recording --stats stats.json -- ./"$@" >got 2>err || status=$?
    [ $status = $expected ] || fail "$*, $options: status $status, not $expected"
    cmp got expected || fail "$*, $options: other output: $(cat got)"
  done
}

inside() {
  for setting in "${settings[@]}"; do
    same "$setting" "$@"
  done
}

everywhere() {
  inside "$@"
  for setting in "${outside[@]}"; do
    same "$setting" "$@"
  done
}

# 440 +- 21
recorded_before() {
  python3 -c "import json; c = json.load(open('stats.json'))['counters']; assert c['traces'] > 10, c" ||
    fail "$*: not recorded before"
}

# A kernel without notifications (before Linux 5.0) has the other filters.
for action in strict kill trap errno notify; do
  for way in prctl syscall; do
    for where in alone threads thread child parent; do
      [ $action-$where = strict-alone ] || [ $action != strict ] || continue
      # a filter for all threads, and one with a supervisor, are not to be had by prctl(2)
      [ $way = syscall ] || { [ $where != threads ] && [ $action != notify ]; } || continue
      if [ -z "$whole" ]; then
        case $action-$way-$where in
          strict-prctl-* | kill-syscall-threads | kill-prctl-child | trap-syscall-alone | errno-prctl-thread | notify-syscall-threads) ;;
          *) continue ;;
        esac
      fi
      everywhere sandboxed $action $way $where
      everywhere sandboxed $action $way $where violate
    done
  done
done
# By an instruction of its own: recorded from outside, as nothing inside could know in time.
${CC:-cc} -O2 -g -pthread -DRAW "$here/sandboxed.c" -o sandboxed_raw
if can_attach; then
  for action in strict kill trap errno notify; do
    [ -n "$whole" ] || [ $action = kill ] || [ $action = notify ] || continue
    inside sandboxed_raw $action raw alone
  done
fi
same '-e task-clock -c 250us --timer-correction=off' sandboxed kill prctl alone
recorded_before sandboxed

for how in traceme attach seize; do
  inside traced $how
done
for what in writes reads; do
  inside watch_points $what
  [ $what = reads ] || recorded_before watch_points
done
for what in address-space data; do
  inside limited $what
  recorded_before limited $what
done
echo "PASS"
