# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="memcached python3"

title() {
  memcached --version | sed 's/\(.*\)/\1: 4 threads under 8 clients, evictions/'
}

prepare() {
  cat >"$input/load.py" <<'END'
import socket, sys, threading

def client(n, result):
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    f = s.makefile("rwb")
    total = 0
    for i in range(1500):
        value = b"%d:" % n * (1 + i % 300)
        f.write(b"set k%d.%d 0 0 %d\r\n%s\r\nincr shared 1\r\nget k%d.%d\r\n" % (n, i, len(value), value, n, i))
        f.flush()
        assert f.readline() == b"STORED\r\n"
        assert f.readline().strip().isdigit()
        head = f.readline().split()
        total += int(head[3])
        assert f.read(int(head[3])) == value
        f.readline(), f.readline()
    result[n] = total

s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b"set shared 0 0 1\r\n0\r\n")
s.recv(100)
result = {}
threads = [threading.Thread(target=client, args=(n, result)) for n in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sorted(result.items()))
s.sendall(b"get shared\r\n")
print(s.recv(100))
s.sendall(b"shutdown\r\n")
END
}

run() {
  "$@" memcached -u "$(id -un)" -s "$PWD/socket" -t 4 -m 64 -A >log 2>&1 &
  server=$!
  wait_until listens socket
  python3 "$input/load.py" "$PWD/socket"
  wait $server
}
