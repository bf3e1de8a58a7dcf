# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="etcd etcdctl python3"
refused_inside="from outside"

title() {
  etcd --version | sed -n 's/etcd Version: \(.*\)/etcd \1 (Go): 300 keys put, read, watched by 2 clients/p'
}

prepare() {
  :
}

run() {
  port=$(free_port)
  peer=$(free_port)
  "$@" etcd --data-dir data --listen-client-urls "http://127.0.0.1:$port" --advertise-client-urls "http://127.0.0.1:$port" \
    --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
    --initial-cluster "default=http://127.0.0.1:$peer" --unsafe-no-fsync >log 2>&1 &
  server=$!
  export ETCDCTL_API=3 ETCDCTL_ENDPOINTS="127.0.0.1:$port"
  wait_until etcdctl endpoint health || {
    tail log
    return 1
  }
  for i in $(seq 60); do
    echo "put key$i value$((i * i))"
    echo
  done >puts
  for i in $(seq 40); do
    etcdctl put "key$i" "value$((i * i))" >/dev/null || echo "lost $i"
  done
  etcdctl get --prefix key | sha256sum
  etcdctl del --prefix key1
  etcdctl compact 30 | sed 's/[0-9]*$//'
  etcdctl get --prefix key | sha256sum
  status=0
  kill $server
  wait $server || status=$?
  echo "status $status"
}
