#!/bin/sh
# SPDX-License-Identifier: MIT
# attaches.sh SOFTLBR [RUNS]: servers of threads (redis) and of processes (nginx) under load are attached and left RUNS
# times (500), the tracer and the recorder killed a fifth as often each: no request fails, nothing stands still, is traced,
# holds a breakpoint or is left over.
set -eu
softlbr=$(realpath "$1")
runs=${2:-500}
. "$(dirname "$0")/../prelude.sh"
needs redis-server nginx
servers=
loads=
undo() { kill -KILL $servers $loads 2>/dev/null || :; }
cd "$work"
${CC:-cc} -O2 -D_GNU_SOURCE "$root/benchmarks/load.c" -o load
${CC:-cc} -O2 "$here/debug_registers.c" -o debug_registers
can_attach || skip "$(cat err)"

# ports that were free a moment ago
ports=$(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(s.getsockname()[1] for s in sockets))')
redis=${ports% *}
nginx=${ports#* }
redis-server --port "$redis" --io-threads 4 --save '' >redis.log 2>&1 &
servers=$!
chmod 755 .
printf '%2000dend' 0 >page
cat >conf <<END
daemon off; worker_processes 4; pid $work/pid; error_log stderr; events { worker_connections 64; }
http { access_log off; keepalive_requests 1000000000; server { listen 127.0.0.1:$nginx; location / { root $work; } } }
END
nginx -c "$work/conf" -p "$work" >nginx.log 2>&1 &
servers="$servers $!"
answers() { ./load "$1" 1 100 0.1 "$2" '' "$3" >/dev/null 2>&1; }
becomes answers "$redis" 'PING\r\n' '+PONG\r\n'
becomes answers "$nginx" 'GET /page HTTP/1.1\r\nHost: a\r\n\r\n' end
./load "$redis" 8 500 100000 'INCR a\r\nGET a\r\nPING\r\n' : '+PONG\r\n' >redis.json &
loads=$!
./load "$nginx" 8 1000 100000 'GET /page HTTP/1.1\r\nHost: a\r\n\r\n' 'HTTP/1.1 200' end >nginx.json &
loads="$loads $!"

processes() {
  for server in $servers; do
    echo "$server"
    cat /proc/"$server"/task/*/children
  done
}
tracers() { for pid in $(processes); do awk '/^TracerPid/ && $2 { print $2 }' /proc/"$pid"/status; done; }
attached() { [ -n "$(tracers)" ]; }
left() { [ -z "$(tracers)" ]; }

# attach TIME: record for so long, in the background
attach() {
  "$softlbr" record -p "${servers% *},${servers#* }" -c 1ms --duration "$1" -o data 2>err &
  recorder=$!
}

# nothing_left WHEN
nothing_left() {
  becomes left
  for pid in $(processes); do
    ! grep -q '^State:.*[tT] (' /proc/"$pid"/task/*/status || fail "$1: $pid stands still"
  done
  kill -0 $servers $loads || fail "$1: a server or its load ended: $(tail -n 3 ./*.log)"
}

all_before=$(processes | wc -w)
for run in $(seq "$runs"); do
  attach 80ms
  wait $recorder || [ $? = 4 ] || fail "run $run: status $?" # 4: the servers were idle for so short
  nothing_left "run $run"
done
for kind in tracer recorder; do
  for run in $(seq $((runs / 5))); do
    attach 60s
    becomes attached
    sleep "0.0$((run % 10))"
    case $kind in
    tracer) victims=$(tracers | sort -u) ;;
    recorder) victims=$recorder ;;
    esac
    kill -KILL $victims 2>/dev/null || : # it may have ended
    wait $recorder 2>/dev/null || :
    nothing_left "$kind killed, run $run"
  done
done
for pid in $(processes); do
  ./debug_registers "$pid" >registers || fail "left behind in $pid: $(cat registers)"
done
[ "$(processes | wc -w)" = "$all_before" ] || fail "the servers have $(processes | wc -w) processes, $all_before before"
! pgrep -f "$softlbr record -p ${servers% *}," >left || fail "left over: $(cat left)"
kill -TERM $loads
for load in $loads; do wait "$load" || fail "load: status $?"; done
loads=
for server in redis nginx; do
  grep -q '"failed": 0,' $server.json || fail "$server: $(cat $server.json)"
  echo "$server: $(cat $server.json)"
done
[ "$(printf 'PING\r\n' | timeout 5 python3 -c '
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"PING\r\n")
print(s.recv(7).decode().strip())' "$redis")" = +PONG ] || fail "redis does not answer"
echo "PASS"
