#!/bin/bash
# SPDX-License-Identifier: MIT
# unnoticed.sh SOFTLBR: what unnoticed.c would notice, or be ended by, is as without softlbr, from inside, from outside
# and attached.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording
${CC:-cc} -O2 -Wall -Wextra -pthread -no-pie "$here/unnoticed.c" -o unnoticed
${CC:-cc} -O2 -Wall -Wextra -pthread -DOWN_ACTIONS "$here/unnoticed.c" -o actions

ways=inside
! can_attach || ways='inside outside'

# recorded WAY PROGRAM WHAT: with its status in $rc
recorded() {
  rc=0
  case $1 in
    inside) timeout 60 "$softlbr" record -c 1ms --timer-correction=off -o data -- "./$2" "$3" >got 2>err || rc=$? ;;
    outside) timeout 60 "$softlbr" record --ptrace -c 1ms -o data -- "./$2" "$3" >got 2>err || rc=$? ;;
  esac
}

# as_plain PROGRAM WHAT
as_plain() {
  plain=0
  "./$1" "$2" >expected || plain=$?
  [ $plain != 77 ] || return 0
  for way in $ways; do
    for run in 1 2 3; do
      recorded $way "$1" "$2"
      [ $rc = $plain ] || fail "$2, $way, run $run: status $rc, not $plain"
      cmp got expected || fail "$2, $way, run $run: other output"
    done
  done
}

as_plain unnoticed slack
as_plain unnoticed segment
(
  ulimit -n 200 # soft and hard
  as_plain unnoticed files
  recorded inside unnoticed files
  grep -q 'not recorded: .*unnoticed: it uses up its descriptors' err || fail "it is not said that descriptors run out"
)
as_plain actions reset
as_plain actions handler

# code of 32 bits is not taken for that of 64
if ./unnoticed segment >expected; then
  recorded inside unnoticed segment
  grep -q 'recorded .*: \([0-9]\|1[0-9]\) samples' err && grep -q 'samples dropped: .* 32-bit code' err ||
    fail "32-bit code is recorded"
fi
echo PASS
