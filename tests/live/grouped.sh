#!/bin/bash
# SPDX-License-Identifier: MIT
# grouped.sh SOFTLBR: a signal that is sent to the process group of a recorded command comes to it once, and one that is
# sent to the recorder alone is passed on.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording
${CC:-cc} -O2 -Wall -Wextra -no-pie "$here/unnoticed.c" -o unnoticed
ways=inside
! can_attach || ways='inside outside'
running=
undo() { [ -z "$running" ] || kill -KILL $running 2>/dev/null || :; }

# the command in a session and group of its own, as a service: its leader in $running
start() {
  case $1 in
    inside) options='' ;;
    outside) options=--ptrace ;;
  esac
  : >got
  setsid "$softlbr" record -q $options -o data -- ./unnoticed group >got 2>err &
  running=$!
  becomes grep -q ready got
}

ends() {
  rc=0
  wait $running || rc=$?
  running=
  [ $rc = 3 ] || fail "$1: status $rc"
  printf 'own TERM 1\nown INT 1\nready\nsent 1\n' | cmp - got || fail "$1: other signals came: $(cat got)"
}

for way in $ways; do
  for signal in TERM HUP INT; do
    start $way
    kill -$signal -- -$running
    ends "$way, $signal to the group"
  done
  start $way
  kill -TERM $running
  ends "$way, TERM to the recorder"
  start $way
  pkill -TERM -s $running -f 'record -q'
  ends "$way, TERM to all of its name"
  # as a service manager ends what is in a control group; the recorder last, whatever a busy machine does in between
  start $way
  kill -TERM $(pgrep -s $running | sort -nr)
  ends "$way, TERM to each process"
done
echo PASS
