# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="lighttpd python3"

title() {
  lighttpd -v | sed -n '1s|lighttpd/\([0-9.]*\).*|lighttpd \1: 2 workers, CGI, 1200 requests|p'
}

prepare() {
  mkdir -p "$input/pages"
  head -c 300000 "$root/cli/convert.c" >"$input/pages/page.txt"
  head -c 900000 /dev/zero | tr '\0' y >"$input/pages/large.bin"
  printf '#!/bin/sh\nprintf "Content-Type: text/plain\\r\\n\\r\\n"; echo "cgi $QUERY_STRING"\n' >"$input/pages/run.cgi"
  chmod -R a+rX "$input"
  chmod 755 "$input/pages/run.cgi"
  cat >"$input/load.py" <<'END'
import hashlib, socket, sys, threading

def fetch(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.sendall(b"GET %s HTTP/1.0\r\nHost: x\r\n\r\n" % path)
    data = b""
    while part := s.recv(65536):
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    return head.split(b"\r\n")[0] + b" " + hashlib.sha256(body).hexdigest().encode()

def client():
    for i in range(60):
        for path in (b"/page.txt", b"/large.bin", b"/run.cgi?n=7", b"/absent", b"/"):
            found.add((path, fetch(path)))

found = set()
threads = [threading.Thread(target=client) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
for path, answer in sorted(found):
    print(path.decode(), answer.decode())
END
}

run() {
  cat >conf <<END
server.document-root = "$input/pages"
server.bind = "$PWD/socket"
server.port = 0
server.max-worker = 2
server.modules = ("mod_cgi")
mimetype.assign = (".txt" => "text/plain")
cgi.assign = (".cgi" => "/bin/sh")
server.errorlog = "$PWD/errors"
END
  # it ends its whole process group
  setsid "$@" lighttpd -D -f conf >log 2>&1 &
  server=$!
  wait_until listens socket
  python3 "$input/load.py" "$PWD/socket"
  kill $server
  status=0
  wait $server || status=$?
  echo "status $status"
  grep -v 'server started\|server stopped\|graceful\|shut down\|warning' errors || :
}
