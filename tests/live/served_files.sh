#!/bin/sh
# SPDX-License-Identifier: MIT
# served_files.sh SOFTLBR [RUNS]: a program that maps files of its own file system (FUSE) is recorded from inside and
# from outside as if nothing had happened, RUNS times (1) in each way, and its file system is asked for nothing more.
set -eu
softlbr=$1
runs=${2:-1}
. "$(dirname "$0")/../prelude.sh"
cd "$work"
${CC:-cc} -O2 -g -pthread "$here/served_files.c" -o served_files
status=0
./served_files 60 >expected 2>err || status=$?
[ $status != 75 ] || skip "no FUSE for us: $(cat err)"
[ $status = 0 ] || fail "plain: status $status"
grep -q ', 0 questions' expected || fail "plain: $(cat expected)"
./served_files 60 program >executed || fail "plain, as a program: status $?: $(cat executed)"

# recorded HOW OPTIONS [--ptrace]
recorded() {
  status=0
  timeout -s KILL 300 "$softlbr" record ${3:-} $2 -o data -- ./served_files 60 $1 >out 2>err || status=$?
  [ $status = 0 ] || fail "$*: status $status"
  [ $1 = program ] && wanted=executed || wanted=expected
  cmp -s out $wanted || fail "$*: $(cat out)"
}

sides=
! "$softlbr" doctor --json 2>/dev/null | grep -q '"way": *"in-process"' || sides=inside
! can_attach || sides="$sides outside"
[ -n "$sides" ] || skip "this machine cannot record"
for side in $sides; do
  ptrace=
  [ $side = inside ] || ptrace=--ptrace
  for options in '' '-e task-clock -n 64' '-e task-clock -c 1ms -n 64 --timer-correction=off' '-e task-clock -c 250us -n 64 --timer-correction=off'; do
    echo "# $side $options"
    of_these='shown code hidden program'
    case $options in
      '' | *250us*) ;;
      *) [ "$runs" != 1 ] || of_these='code program' ;;
    esac
    for how in $of_these; do
      for run in $(seq "$runs"); do
        recorded $how "$options" $ptrace
      done
    done
  done
  samples=$("$softlbr" show data | awk '$1 == "samples" { print $2; exit }')
  [ "$samples" -ge 20 ] || fail "$side: $samples samples at 250 us" # 150 +- 12 at least
done
echo "PASS"
