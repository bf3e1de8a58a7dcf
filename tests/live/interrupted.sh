#!/bin/sh
# SPDX-License-Identifier: MIT
# interrupted.sh SOFTLBR [RUNS]: no system call of a program that is recorded from outside is interrupted: each row of
# interrupted.c returns what it does without softlbr, RUNS times (1) in each way.
set -eu
softlbr=$1
runs=${2:-1}
. "$(dirname "$0")/../prelude.sh"
program=
undo() { [ -z "$program" ] || kill -KILL $program 2>/dev/null || :; }
cd "$work"
${CC:-cc} -O2 -g -D_GNU_SOURCE -pthread "$here/interrupted.c" -o interrupted
${CC:-cc} -O2 -g -D_GNU_SOURCE -DLOOKS -pthread "$here/interrupted.c" -o looking
${CC:-cc} -O2 "$here/refuse.c" -o refuse
can_attach || skip "$(cat err)"
turns=30
[ "$runs" != 1 ] || turns=8
./interrupted $turns >expected
! grep -v "$turns of $turns" expected || fail "not as this machine's system calls are"
./interrupted $turns whole >expected-whole

# same EXPECTED COMMAND...: it prints this
same() {
  status=0
  wanted=$1
  shift
  timeout -s KILL 300 "$@" >out 2>err || status=$?
  [ $status = 0 ] || fail "$*: status $status"
  cmp -s out "$wanted" || fail "$*: $(diff "$wanted" out)"
}

i=0
while [ $i -lt "$runs" ]; do
  for period in '' '-c 1ms --timer-correction=off' '-c 250us --timer-correction=off'; do
    same expected "$softlbr" record --ptrace $period -o data -- ./interrupted $turns
    same expected "$softlbr" record --ptrace $period -o data -- ./looking $turns
    # what is done in part stays so where threads have to be interrupted
    same expected-whole ./refuse errno "$softlbr" record --ptrace $period -o data -- ./interrupted $turns whole
    ./interrupted $turns >attached &
    program=$!
    "$softlbr" record -p $program $period -o data 2>err || [ $? = 4 ] || grep -q 'No such process' err || fail "-p $period: status $?"
    wait $program || fail "-p $period: the program's status is $?"
    program=
    cmp -s attached expected || fail "-p $period: $(diff expected attached)"
  done
  i=$((i + 1))
done
calls=$((($(wc -l <expected) * 9 + $(wc -l <expected-whole) * 3) * turns * runs))
echo "none of $calls calls"
echo "PASS"
