#!/bin/sh
# SPDX-License-Identifier: MIT
# killed.sh SOFTLBR [RUNS]: kill -9 of recorder and tracer, in any order and at any moment, RUNS times (4) from
# outside and half as often from inside: the program goes on to its right result, and no hardware breakpoint is left
# in it.
set -eu
softlbr=$1
runs=${2:-4}
. "$(dirname "$0")/../prelude.sh"
program=
undo() { [ -z "$program" ] || kill -KILL $program 2>/dev/null || :; }
cd "$work"
${CC:-cc} -O2 -g -pthread "$here/killed.c" -o killed
can_attach || skip "$(cat err)"
turns=20000000 # long enough to be traced and left, also where others work
touch go
./killed $turns go | sed 1d >expected
! grep -q 'free -1' expected || skip_part "perf events are refused: left breakpoints are not looked for"

# pause SEED: for up to a tenth of a second
pause() { sleep "$(awk -v seed="$1" 'BEGIN { srand(seed); printf "%.4f", rand() / 10 }')"; }
tracer_of() { awk '/^TracerPid/ { print $2 }' "/proc/$1/status"; }
is_traced() { [ "$(tracer_of "$program")" -gt 0 ]; } # not where it has ended
is_left() { ! is_traced; }
is_gone() { ! kill -0 "$1" 2>/dev/null; }

# goes_on WHAT: the program that was left does what it does
goes_on() {
  becomes is_left
  touch go
  status=0
  wait $program || status=$?
  program=
  [ $status = 0 ] || fail "$1: status $status"
  right "$1"
}

# right WHAT: the program, which has ended, did what it does
right() {
  sed 1d out >got
  cmp -s got expected || fail "$1: $(cat out)"
}

options() {
  case $(($1 % 3)) in
  0) echo -c 250us --lookahead off ;;
  1) echo -c 250us --timer-correction=off ;;
  2) echo -c 1ms -n 2048 --timer-correction=probe ;;
  esac
}

echo "# from outside"
i=0
while [ $i -lt "$runs" ]; do
  rm go
  ./killed $turns go >out &
  program=$!
  "$softlbr" record -p $program $(options $i) -o data 2>err &
  recorder=$!
  becomes is_traced
  tracer=$(tracer_of $program)
  pause $((i * 2 + 1))
  case $((i % 4)) in
  0) order="$tracer" ;;
  1) order="$recorder" ;;
  2) order="$tracer $recorder" ;;
  3) order="$recorder $tracer" ;;
  esac
  for victim in $order; do
    kill -KILL "$victim" 2>/dev/null || : # it may have ended with the other one
    pause $((i * 2))
  done
  goes_on "run $i, order $((i % 4))"
  wait $recorder || :
  i=$((i + 1))
done
echo "$i runs"

echo "# a command's tracer: the command is waited for, and its status is the recorder's, but for success"
for ended in 5 0; do
  rm -f go out data
  "$softlbr" record --ptrace -c 1ms -o data -- sh -c "./killed $turns go >out; exit $ended" 2>err &
  recorder=$!
  becomes [ -s out ]
  read -r program <out
  tracer=$(tracer_of $program)
  [ "$tracer" -gt 0 ] || fail "the command is not traced"
  kill -KILL "$tracer"
  becomes is_left
  sleep 0.2
  kill -0 $recorder || fail "the recorder does not wait for the command"
  touch go
  status=0
  wait $recorder || status=$?
  program=
  right "a command that exits with $ended"
  [ $status = $((ended ? ended : 125)) ] || fail "status $status, not the command's $ended"
  grep -q 'the tracer was killed; the program went on' err || fail "it is not said that the tracer was killed"
done

if "$softlbr" doctor --json 2>/dev/null | grep -q '"way": *"in-process"'; then
  echo "# from inside"
  i=0
  while [ $i -lt $((runs / 2)) ]; do
    rm -f out
    "$softlbr" record -e task-clock $(options $i) -o data -- ./killed $turns go >out 2>err &
    recorder=$!
    becomes [ -s out ]
    read -r program <out
    pause $i
    kill -KILL $recorder
    wait $recorder || :
    becomes is_gone $program
    program=
    right "inside, run $i"
    i=$((i + 1))
  done
  echo "$i runs"
else
  skip_part "this machine cannot record in-process"
fi

# the tracer's memory is limited once it traces, so that it is the one whom the kernel kills
group=/sys/fs/cgroup/memory/softlbr-killed-$$
limit=memory.limit_in_bytes
[ -e /sys/fs/cgroup/memory ] || {
  group=/sys/fs/cgroup/softlbr-killed-$$
  limit=memory.max
}
if mkdir "$group" 2>/dev/null && [ -e "$group/$limit" ]; then
  echo "# out of memory"
  rm go
  ./killed $turns go >out &
  program=$!
  "$softlbr" record -p $program -c 250us --timer-correction=off -o data 2>err &
  recorder=$!
  becomes is_traced
  tracer=$(tracer_of $program)
  echo $tracer >"$group/cgroup.procs"
  # what it takes before that can't be taken back, and then the kernel refuses the limit
  (echo 4096 >"$group/$limit") 2>/dev/null || {
    skip_part "the tracer took memory before that could be limited: it is killed otherwise"
    kill -KILL $tracer
  }
  goes_on "out of memory"
  status=0
  wait $recorder || status=$?
  echo "the recorder's status was $status"
  rmdir "$group"
else
  rmdir "$group" 2>/dev/null || :
  skip_part "no memory cgroup that could be made here"
fi
echo "PASS"
