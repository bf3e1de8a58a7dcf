# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="squid python3"
. "$here/survival/backend.inc"

title() {
  squid -v | sed -n '1s/.*Version \([0-9.]*\).*/squid \1: a proxy with a cache in memory, 300 requests, ACLs/p'
}

prepare() {
  make_backend
  cat >"$input/ask.py" <<'END'
import hashlib, http.client, sys
found = set()
for i in range(300):
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    c.request("GET", "http://127.0.0.1:%s/p%d" % (sys.argv[2], i % 11))
    r = c.getresponse()
    found.add((i % 11, r.status, hashlib.sha256(r.read()).hexdigest()))
c.request("GET", "http://denied.example/")
print(len(found), c.getresponse().status, hashlib.sha256(repr(sorted(found)).encode()).hexdigest())
END
}

run() {
  port=$(free_port)
  start_backend
  mkdir -m 777 state
  cat >conf <<END
http_port 127.0.0.1:$port
acl denied dstdomain denied.example
http_access deny denied
http_access allow all
cache_mem 16 MB
access_log none
cache_log $PWD/state/log
pid_filename $PWD/state/pid
coredump_dir $PWD/state
cache_store_log none
netdb_filename none
pinger_enable off
shutdown_lifetime 0 seconds
visible_hostname x
$([ "$(id -u)" != 0 ] || echo "cache_effective_user proxy")
END
  setsid "$@" squid -N -f "$PWD/conf" >log 2>&1 &
  server=$!
  for p in $behind $port; do
    wait_until python3 -c "import socket; socket.create_connection(('127.0.0.1', $p))" || {
      cat log state/log
      return 1
    }
  done
  python3 "$input/ask.py" "$port" "$behind"
  status=0
  kill $server
  wait $server || status=$?
  kill $backend
  echo "status $status"
}
