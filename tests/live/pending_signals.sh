#!/bin/sh
# SPDX-License-Identifier: MIT
# pending_signals.sh SOFTLBR [RUNS]: a program that looks for pending signals finds none of ours, writes in one piece,
# and goes on when a recording of it ends, or its tracer is killed, RUNS times (5) for each.
set -eu
softlbr=$1
runs=${2:-5}
. "$(dirname "$0")/../prelude.sh"
program=
undo() { [ -z "$program" ] || kill -KILL $program 2>/dev/null || :; }
cd "$work"
${CC:-cc} -O2 -g -D_GNU_SOURCE "$here/pending_signals.c" -o pending_signals
can_attach || skip "$(cat err)"
./pending_signals 20 >out || fail "not as this machine's signals are: $(cat out)"

i=0
while [ $i -lt "$runs" ]; do
  for options in "--ptrace" "--ptrace -c 1ms --timer-correction=off" "--ptrace -c 250us --timer-correction=off" "-c 250us --timer-correction=off"; do
    "$softlbr" record $options -o data -- ./pending_signals 100 >out 2>err ||
      fail "$options: status $?: $(cat out)"
  done
  i=$((i + 1))
done
samples=$("$softlbr" report --json data | sed -n 's/.*"samples": *\([0-9]*\).*/\1/p' | head -1)
[ "${samples:-0}" -gt 20 ] || fail "recorded too little to tell: ${samples:-no} samples" # 300 +- 17

i=0
./pending_signals 1 go >out &
program=$!
while [ $i -lt $((runs * 4)) ]; do
  "$softlbr" record -p $program -c 250us --timer-correction=off --duration "$((20 + i))ms" -o data 2>err || [ $? = 4 ] || fail "-p: status $?: $(cat err)"
  i=$((i + 1))
done
touch go
status=0
wait $program || status=$?
program=
[ $status = 0 ] || fail "recorded $i times: status $status: $(cat out)"

is_traced() {
  [ -s number ] && tracer=$(awk '/^TracerPid/ { print $2 }' "/proc/$(cat number)/status") && [ "$tracer" -gt 0 ]
}
i=0
while [ $i -lt $((runs * 2)) ]; do
  rm -f go number result
  "$softlbr" record --ptrace -c 250us --timer-correction=off -o data -- \
    sh -c 'sh -c "echo \$\$ >number; exec ./pending_signals 1 go" >out; echo $? >result' 2>err &
  program=$!
  becomes is_traced
  sleep "0.0$((i % 9 + 1))"
  kill -KILL "$tracer"
  touch go
  wait $program || : # the recorder, who waits for the command
  program=$(cat number)
  becomes [ -s result ]
  program=
  [ "$(cat result)" = 0 ] || fail "tracer killed, run $i: status $(cat result): $(cat out)"
  i=$((i + 1))
done
echo "PASS"
