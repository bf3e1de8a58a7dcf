# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="haproxy python3"

title() {
  haproxy -v | sed -n '1s/.*version \([0-9.]*\).*/haproxy \1: 2 threads before a server, ACLs, 400 requests/p'
}

prepare() {
  cat >"$input/backend.py" <<'END'
import http.server, socketserver, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = (self.path * 200).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *a):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
server.serve_forever()
END
  cat >"$input/load.py" <<'END'
import hashlib, http.client, sys, threading
def client(n):
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
    for i in range(100):
        c.request("GET", "/deny" if i % 10 == 0 else "/p%d" % (i % 7))
        r = c.getresponse()
        found.add((i % 10 == 0 or i % 7, r.status, hashlib.sha256(r.read()).hexdigest()))
found = set()
threads = [threading.Thread(target=client, args=(n,)) for n in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(found), hashlib.sha256(repr(sorted(found, key=repr)).encode()).hexdigest())
END
}

run() {
  port=$(free_port)
  behind=$(free_port)
  python3 "$input/backend.py" "$behind" &
  backend=$!
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
