#!/bin/bash
# SPDX-License-Identifier: MIT
# locked.sh SOFTLBR [RUNS]: programs that lock all their memory (mlockall) under the usual limit of 8 MB, which
# they may not go beyond, get what they get plain: recorded from inside, which they leave before that,
# and from outside. Each program RUNS times at each period and way; without RUNS, at one.
set -euo pipefail
softlbr=$1
runs=${2:-}
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
${CC:-cc} -O2 -pthread -I"$here" -o locked "$here/locked.c"

# Root may lock what it likes, unless it is told not to.
limited=()
if [ "$(id -u)" = 0 ]; then
  needs setpriv
  limited=(setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock)
fi
"${limited[@]}" true 2>/dev/null || skip "no capability can be given up here"
ulimit -l 8192 2>/dev/null || skip "the limit of locked memory can't be 8 MB here"

kinds="current future both bare late forked"
for kind in $kinds; do
  "${limited[@]}" ./locked $kind >$kind.expected
done
grep -q '^locked: yes' both.expected || skip "mlockall is refused here"
# the limit holds, or nothing is seen here
grep -q '^large: Resource' both.expected || skip "locked memory is not limited here"

# record KIND WAY PERIOD
record() {
  local options=()
  [ "$2" != outside ] || options+=(--ptrace)
  # weights stretch the period
  [ "$3" = default ] || options+=(-e task-clock -c "$3" --timer-correction=off)
  "${limited[@]}" "$softlbr" record "${options[@]}" -o perf.data -- ./locked "$1" >got 2>err ||
    fail "$*: status $?"
  diff "$1.expected" got || fail "$*: other output"
  [ "$2" = outside ] || grep -q 'not recorded: .*locked: .*limit leaves no room' err ||
    fail "$*: it was not left"
  count=$((count + 1))
}

ways=inside
outside=0
if "${limited[@]}" "$softlbr" record --ptrace -o none -- true 2>err; then
  ways="inside outside"
  outside=1
else
  grep -q 'refuses to trace' err || fail "cannot attach"
fi
count=0
if [ -z "$runs" ]; then
  for kind in $kinds; do
    record $kind inside 250us
  done
  [ $outside = 0 ] || record both outside 1ms
else
  for ((i = 0; i < runs; i++)); do
    for kind in $kinds; do
      for way in $ways; do
        for period in default 1ms 250us; do
          record $kind $way $period
        done
      done
    done
  done
fi
# it was recorded until then
record both inside 250us
samples=$(sed -n 's/.* \([0-9]*\) samples*, .*/\1/p' err | head -n 1)
[ "$samples" -ge 5 ] || fail "$samples samples before memory was locked" # 66 +- 10
echo "PASS: $count recordings"
