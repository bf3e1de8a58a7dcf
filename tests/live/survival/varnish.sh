# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="varnishd python3"
. "$here/survival/backend.inc"

title() {
  varnishd -V 2>&1 | sed -n '1s/.*varnish-\([0-9.]*\).*/varnish \1: its compiled VCL, a cache before a server, 400 requests/p'
}

prepare() {
  make_backend
}

run() {
  port=$(free_port)
  start_backend
  cat >vcl <<END
vcl 4.0;
backend default { .host = "127.0.0.1"; .port = "$behind"; }
sub vcl_recv { if (req.url == "/deny") { return (synth(403, "no")); } }
sub vcl_synth { set resp.body = "no"; return (deliver); }
END
  chmod 644 vcl
  setsid "$@" varnishd -F -n "$PWD/state" -f "$PWD/vcl" -a "127.0.0.1:$port" -s malloc,16m -j none >log 2>&1 &
  server=$!
  for p in $behind $port; do
    wait_until python3 -c "import socket; socket.create_connection(('127.0.0.1', $p))" || {
      cat log
      return 1
    }
  done
  python3 "$input/load.py" "$port"
  status=0
  kill $server
  wait $server || status=$?
  kill $backend
  echo "status $status"
}
