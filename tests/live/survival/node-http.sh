# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="node python3"

title() {
  node --version | sed 's/\(.*\)/node \1: HTTP server with JSON, gzip and crypto under 8 clients/'
}

prepare() {
  cat >"$input/server.js" <<'END'
const http = require('http'), zlib = require('zlib'), crypto = require('crypto');
const server = http.createServer((request, response) => {
  const n = parseInt(request.url.slice(1)) || 1, rows = [];
  for (let i = 0; i < 300; i++) rows.push({i, square: i * i % n, name: 'row' + (i * n % 97)});
  const text = JSON.stringify(rows.sort((a, b) => a.name < b.name ? -1 : 1));
  response.setHeader('x-digest', crypto.createHash('sha256').update(text).digest('hex'));
  zlib.gzip(text, (error, packed) => response.end(packed));
});
server.listen(process.argv[2]);
process.on('SIGTERM', () => { server.close(() => { console.log('closed'); process.exit(0); }); server.closeAllConnections(); });
END
  cat >"$input/load.py" <<'END'
import gzip, hashlib, http.client, socket, sys, threading

class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(sys.argv[1])

def client(n):
    c = Connection("x")
    for i in range(100):
        c.request("GET", "/%d" % (i % 20 + 1))
        r = c.getresponse()
        text = gzip.decompress(r.read())
        assert hashlib.sha256(text).hexdigest() == r.headers["x-digest"]
        found.add((i % 20, r.headers["x-digest"]))

found = set()
threads = [threading.Thread(target=client, args=(n,)) for n in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(found), hashlib.sha256(repr(sorted(found)).encode()).hexdigest())
END
}

run() {
  "$@" node "$input/server.js" "$PWD/socket" &
  server=$!
  wait_until listens socket
  python3 "$input/load.py" "$PWD/socket"
  pkill -TERM -P $server node || kill $server
  status=0
  wait $server || status=$?
  echo "status $status"
}
