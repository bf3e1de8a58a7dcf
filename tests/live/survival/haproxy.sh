# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="haproxy python3"
. "$here/survival/backend.inc"

title() {
  haproxy -v | sed -n '1s/.*version \([0-9.]*\).*/haproxy \1: 2 threads before a server, ACLs, 400 requests/p'
}

prepare() {
  make_backend
}

run() {
  port=$(free_port)
  start_backend
  cat >conf <<END
global
  nbthread 2
defaults
  mode http
  timeout connect 20s
  timeout client 60s
  timeout server 60s
frontend f
  bind 127.0.0.1:$port
  acl no path /deny
  http-request deny if no
  default_backend b
backend b
  server s 127.0.0.1:$behind
END
  "$@" haproxy -db -f conf >log 2>&1 &
  server=$!
  for p in $behind $port; do
    wait_until python3 -c "import socket; socket.create_connection(('127.0.0.1', $p))"
  done
  python3 "$input/load.py" "$port"
  status=0
  kill $server
  wait $server || status=$?
  kill $backend
  echo "status $status"
}
