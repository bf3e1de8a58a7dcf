#!/bin/sh
# SPDX-License-Identifier: MIT
# servers.sh SOFTLBR: attach to a Go program, and to redis-server with 4 threads under load.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
program=
tested=
undo() { [ -z "$program" ] || kill -KILL $program 2>/dev/null || :; }
cd "$work"

functions() {
  perf script -i "$1" -F ip,sym 2>perf.err | awk '{ print $2 }' | sort | uniq -c | sort -rn >functions
}

${CC:-cc} -O2 "$here/debug_registers.c" -o debug_registers
can_attach || skip "$(cat err)"

if command -v go >/dev/null; then
  echo "# a Go program"
  cp "$here/goroutines.go" .
  GOCACHE=$work/cache GO111MODULE=off go build -o goroutines goroutines.go
  ./goroutines >out 2>&1 &
  program=$!
  sleep 0.3
  "$softlbr" record -p $program -c 1ms --timer-correction=off -o go.data --duration 2s 2>err || fail "go"
  ./debug_registers $program >registers || fail "left behind: $(cat registers)"
  kill -TERM $program
  wait $program || fail "go: status $?: $(cat out)"
  program=
  grep -q '^unchanged$' out || fail "go: $(cat out)"
  functions go.data
  grep -q 'main\.work\|sort\.' functions || fail "go: functions are not found: $(head functions)"
  tested=yes
else
  skip_part "no Go here (golang-go)"
fi

if command -v redis-benchmark >/dev/null && command -v redis-server >/dev/null; then
  echo "# redis-server"
  redis-server --port 0 --unixsocket "$work/redis" --io-threads 4 --save '' >log 2>&1 &
  program=$!
  becomes [ -S redis ]
  "$softlbr" record -p $program -c 2ms --timer-correction=off -o redis.data --duration 3s 2>err &
  recorder=$!
  redis-benchmark -s "$work/redis" -t set,get,lpush -n 10000 -c 20 -q >benchmark 2>&1 || fail "benchmark"
  grep -qi error benchmark && fail "$(cat benchmark)"
  wait $recorder || fail "redis: status $?"
  [ "$(redis-cli -s "$work/redis" ping)" = PONG ] || fail "redis does not answer"
  kill -TERM $program
  wait $program || fail "redis: status $?"
  program=
  functions redis.data
  # 1,250 +- 35 of a busy server, 300 +- 17 where the benchmark takes a second of the three
  [ "$(awk '{ n += $1 } END { print n + 0 }' functions)" -gt 100 ] || fail "redis: few samples"
  tested=yes
else
  skip_part "no redis here (redis-server, redis-tools)"
fi
[ -n "$tested" ] || skip "neither Go nor redis is installed"
echo "PASS"
