# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="unbound dig python3"

title() {
  unbound -V | sed -n '1s/.*ersion \([0-9.]*\).*/unbound \1: 2 threads, local zones, 4000 questions/p'
}

prepare() {
  {
    echo 'local-zone: "example." static'
    for i in $(seq 1000); do
      echo "local-data: \"host$i.example. A 10.1.$((i / 256)).$((i % 256))\""
    done
  } >"$input/zone"
  for i in $(seq 1000); do
    echo "host$i.example A"
    echo "host$i.example AAAA"
  done >"$input/questions"
  chmod a+r "$input"/*
}

run() {
  port=$(free_port)
  cat >conf <<END
server:
  interface: 127.0.0.1
  port: $port
  num-threads: 2
  chroot: ""
  username: ""
  directory: "$PWD"
  pidfile: "$PWD/pid"
  use-syslog: no
  logfile: ""
  verbosity: 0
  module-config: "iterator"
  include: "$input/zone"
remote-control:
  control-enable: no
END
  "$@" unbound -d -c "$PWD/conf" >log 2>&1 &
  server=$!
  wait_until sh -c "dig +short +tries=1 -p $port @127.0.0.1 host1.example | grep -q ^10" || {
    cat log
    return 1
  }
  for transport in +notcp +tcp; do
    dig +short +tries=5 $transport -p "$port" @127.0.0.1 -f "$input/questions" | sha256sum
  done
  kill $server
  status=0
  wait $server || status=$?
  echo "status $status"
}
