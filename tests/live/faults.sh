#!/bin/sh
# SPDX-License-Identifier: MIT
# faults.sh SOFTLBR [RUNS]: a program that serves its own page faults (userfaultfd(2)) is recorded from outside and
# from inside as if nothing had happened, RUNS times (1) in each way; and when the tracer waits for a page of it after
# all, it is ended and the program goes on.
set -eu
softlbr=$1
runs=${2:-1}
. "$(dirname "$0")/../prelude.sh"
program=
undo() { [ -z "$program" ] || kill -KILL $program 2>/dev/null || :; }
cd "$work"
${CC:-cc} -O2 -g -pthread "$here/faults.c" -o faults
can_attach || skip "$(cat err)"
status=0
./faults 60 >expected 2>err || status=$?
[ $status != 77 ] || skip "no userfaultfd for us: $(cat err)"
[ $status = 0 ] || fail "plain: status $status"

start() {
  rm -f out
  ./faults $1 >out &
  program=$!
  within 60 grep -q ready out || fail "it does not start"
}

# ends WHAT EXPECTED
ends() {
  status=0
  wait $program || status=$?
  program=
  [ $status = 0 ] || fail "$1: the program's status is $status"
  cmp -s out "$2" || fail "$1: $(cat out)"
}

# from_inside OPTIONS SOURCE: whoever gives out the descriptor, and serves
from_inside() {
  status=0
  timeout -s KILL 300 "$softlbr" record $1 -o inside.data -- ./faults 60 $2 >out 2>err || status=$?
  [ $status = 0 ] || fail "inside $1 $2: status $status"
  cmp -s out expected || fail "inside $1 $2: $(cat out)"
}

if "$softlbr" doctor --json 2>/dev/null | grep -q '"way": *"in-process"'; then
  sources='syscall instruction fork'
  [ ! -w /dev/userfaultfd ] || sources="$sources device"
  for options in '' '-e task-clock -n 64' '-e task-clock -c 1ms -n 64 --timer-correction=off' '-e task-clock -c 250us -n 64 --timer-correction=off'; do
    echo "# inside $options"
    of_these=$sources
    case $options in
      '' | *250us*) ;;
      *) [ "$runs" != 1 ] || of_these=syscall ;;
    esac
    for source in $of_these; do
      i=0
      while [ $i -lt "$runs" ]; do
        from_inside "$options" $source
        i=$((i + 1))
      done
    done
  done
  samples=$("$softlbr" show inside.data | awk '$1 == "samples" { print $2; exit }')
  [ "$samples" -ge 20 ] || fail "$samples samples at 250 us" # 410 +- 20
else
  skip_part "this machine cannot record in-process"
fi

for options in '' '-n 64' '-c 1ms -n 64 --timer-correction=off' '-c 250us -n 64 --timer-correction=off'; do
  echo "# outside $options"
  i=0
  while [ $i -lt "$runs" ]; do
    status=0
    timeout -s KILL 300 "$softlbr" record --ptrace $options -o data -- ./faults 60 >out 2>err || status=$?
    [ $status = 0 ] || fail "--ptrace $options: status $status"
    cmp -s out expected || fail "--ptrace $options: $(cat out)"
    # on a busy machine it may have ended before the recorder comes
    for try in 1 2 3 4 5; do
      start 60
      status=0
      timeout -s KILL 300 "$softlbr" record -p $program $options -o attached.data 2>err || status=$?
      grep -q 'No such process' err || break
      ends "-p $options" expected
    done
    [ $status = 0 ] || [ $status = 4 ] || fail "-p $options: status $status"
    ends "-p $options" expected
    i=$((i + 1))
  done
done
samples=$("$softlbr" show data | awk '$1 == "samples" { print $2; exit }')
[ "$samples" -ge 20 ] || fail "$samples samples at 250 us" # 420 +- 21

# Without /proc/PID/pagemap any page is read. Here it is a socket, which can't be opened.
hide='mount --bind "$0/socket" "/proc/$1/pagemap" && shift && exec "$@"'
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' socket 2>/dev/null || :
if [ -S socket ] && unshare -m sh -c "${hide% && shift*}" "$work" $$ 2>/dev/null; then
  rounds=300
  ./faults $rounds >longer

  # wait_for_page SIGNAL: record until the tracer waits, or until the recorder gets this signal; its status
  wait_for_page() {
    start "$rounds late"
    unshare -m sh -c "$hide" "$work" $program "$softlbr" record -p $program -c 250us -n 64 --timer-correction=off -o stuck.data 2>err &
    recorder=$!
    if [ $1 != none ]; then
      sleep 1
      kill -$1 $recorder 2>/dev/null || :
    fi
    recorded=0
    wait $recorder || recorded=$?
    ends "$1" longer
  }
  ends='KILL INT none'
  [ "$runs" != 1 ] || ends=none
  for end in $ends; do
    echo "# the tracer waits for a page of the program; signal to the recorder: $end"
    for try in 1 2 3 4 5; do
      wait_for_page $end
      [ $end = none ] && [ $recorded = 0 ] || break # it came through
    done
  done
  [ $recorded = 125 ] && grep -q 'serves its own page faults' err || fail "the reason is not said: status $recorded"
  "$softlbr" show stuck.data >shown || fail "what was recorded can't be read"
else
  skip_part "pages can't be hidden from the tracer here"
fi
echo "PASS"
