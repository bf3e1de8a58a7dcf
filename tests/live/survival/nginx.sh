# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="nginx wrk python3"

title() {
  nginx -v 2>&1 | sed 's|.*/\([0-9.]*\).*|nginx \1: 2 workers, gzip, thread pool, reload under wrk with 4 threads|'
}

prepare() {
  head -c 400000 "$root/cli/convert.c" >"$input/page.html"
  head -c 1500000 /dev/zero | tr '\0' x >"$input/large.bin"
}

# fetch PATH: the answer's status and digest
fetch() {
  python3 - "$PWD/socket" "$1" <<'END'
import hashlib, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b"GET %s HTTP/1.0\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n" % sys.argv[2].encode())
data = b""
while part := s.recv(65536):
    data += part
head, body = data.split(b"\r\n\r\n", 1)
print(sys.argv[2], head.split(b"\r\n")[0].decode(), hashlib.sha256(body).hexdigest())
END
}

run() {
  port=$(free_port)
  cat >nginx.conf <<END
worker_processes 2;
daemon off;
user root;
pid $PWD/pid;
error_log $PWD/errors warn;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path $PWD/1; proxy_temp_path $PWD/2; fastcgi_temp_path $PWD/3;
  uwsgi_temp_path $PWD/4; scgi_temp_path $PWD/5;
  types { text/html html; }
  server {
    listen unix:$PWD/socket;
    listen 127.0.0.1:$port;
    root $input;
    location / { gzip on; gzip_comp_level 6; }
    location /large.bin { aio threads; sendfile off; directio 512; }
    location /back/ { proxy_pass http://unix:$PWD/socket:/; }
  }
}
END
  "$@" nginx -p "$PWD" -e "$PWD/errors" -c "$PWD/nginx.conf" 2>server.err &
  server=$!
  wait_until listens socket || return
  for path in /page.html /large.bin /back/page.html /nothing; do
    fetch $path
  done
  for path in page.html large.bin back/page.html; do
    "$@" wrk -t4 -c16 -d1s -H 'Accept-Encoding: gzip' "http://127.0.0.1:$port/$path" >wrk 2>wrk.err
    echo "wrk $? $path $(grep -i 'socket errors\|non-2xx' wrk || :)"
    cat wrk.err
  done
  kill -HUP "$(cat pid)"
  sleep 0.3
  fetch /page.html
  kill -QUIT "$(cat pid)"
  wait $server || return
  sed 's/^[^[]*//;s/[0-9]*#[0-9]*: \*[0-9]*//' errors
  cat server.err
}
