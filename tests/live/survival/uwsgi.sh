# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="uwsgi python3"

title() {
  uwsgi --version | sed 's/\(.*\)/uwsgi \1: 2 processes of 2 threads, a Python application, 300 requests/'
}

prepare() {
  cat >"$input/application.py" <<'END'
import hashlib, json
def application(environ, start):
    n = int(environ["QUERY_STRING"] or 1)
    rows = sorted({"k%d" % (i * n % 997): i for i in range(2000)}.items())
    body = hashlib.sha256(json.dumps(rows).encode()).hexdigest().encode()
    start("200 OK", [("Content-Length", str(len(body)))])
    return [body]
END
  cat >"$input/load.py" <<'END'
import socket, sys
found = set()
for i in range(300):
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.sendall(b"GET /?%d HTTP/1.0\r\nHost: x\r\n\r\n" % (i % 20))
    data = b""
    while part := s.recv(65536):
        data += part
    found.add((i % 20, data.split(b"\r\n\r\n")[1]))
print(len(found), sorted(found)[7])
END
  chmod -R a+rX "$input"
}

run() {
  setsid "$@" uwsgi --plugin python3 --http-socket "$PWD/socket" --chdir "$input" --module application --processes 2 --threads 2 \
    --master --die-on-term --disable-logging >log 2>&1 &
  server=$!
  wait_until listens socket || {
    cat log
    return 1
  }
  python3 "$input/load.py" "$PWD/socket"
  kill $server
  wait $server || :
  echo ended
}
