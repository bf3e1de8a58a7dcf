# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="apache2 python3"

title() {
  apache2 -v | sed -n '1s|.*Apache/\([0-9.]*\).*|apache \1: event workers, directories, 600 requests, graceful stop|p'
}

prepare() {
  mkdir -p "$input/pages"
  head -c 300000 "$root/cli/convert.c" >"$input/pages/page.txt"
  head -c 700000 /dev/zero | tr '\0' z >"$input/pages/large.bin"
  chmod -R a+rX "$input"
  cat >"$input/load.py" <<'END'
import hashlib, socket, sys, threading

def fetch(path):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    s.sendall(b"GET %s HTTP/1.0\r\nHost: x\r\n\r\n" % path)
    data = b""
    while part := s.recv(65536):
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    return head.split(b"\r\n")[0] + b" " + (hashlib.sha256(body).hexdigest().encode() if b"200" in head else b"")

def client():
    for i in range(50):
        for path in (b"/page.txt", b"/large.bin", b"/absent"):
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
  port=$(free_port)
  modules=/usr/lib/apache2/modules
  cat >conf <<END
ServerRoot "$PWD"
ServerName x
Listen 127.0.0.1:$port
PidFile "$PWD/pid"
ErrorLog "$PWD/errors"
Mutex posixsem
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule dir_module $modules/mod_dir.so
$([ "$(id -u)" != 0 ] || echo "User nobody
Group nogroup")
StartServers 2
ThreadsPerChild 8
MaxRequestWorkers 16
DocumentRoot "$input/pages"
<Directory "$input/pages">
Require all granted
</Directory>
END
  # it signals its process group
  setsid "$@" apache2 -f "$PWD/conf" -DFOREGROUND >log 2>&1 &
  server=$!
  wait_until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" || {
    cat log errors
    return 1
  }
  python3 "$input/load.py" "$port"
  status=0
  kill $server
  wait $server || status=$?
  echo "status $status"
}
