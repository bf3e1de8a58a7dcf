# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="dnsmasq dig python3"

title() {
  dnsmasq --version | sed -n '1s/.*version \([0-9.]*\).*/dnsmasq \1: 3000 names asked by UDP and TCP/p'
}

prepare() {
  for i in $(seq 1000); do
    echo "10.0.$((i / 256)).$((i % 256)) host$i.example"
  done >"$input/hosts"
  chmod a+r "$input/hosts"
  for i in $(seq 1000); do
    echo "host$i.example A"
    echo "host$i.example AAAA"
    echo "txt.example TXT"
  done >"$input/questions"
}

run() {
  port=$(free_port)
  "$@" dnsmasq -k --conf-file=/dev/null --port="$port" --listen-address=127.0.0.1 --bind-interfaces --no-resolv --no-hosts \
    --addn-hosts="$input/hosts" --txt-record=txt.example,hello --local=/example/ --user="$(id -un)" \
    --pid-file="$PWD/pid" --log-facility="$PWD/log" >out.log 2>&1 &
  server=$!
  wait_until dig +short +tries=1 -p "$port" @127.0.0.1 host1.example || {
    cat log out.log
    return 1
  }
  for transport in +notcp +tcp; do
    head -n $([ $transport = +tcp ] && echo 300 || echo 3000) "$input/questions" >asked
    dig +short +tries=5 $transport -p "$port" @127.0.0.1 -f asked | sha256sum
  done
  kill $server
  status=0
  wait $server || status=$?
  echo "status $status"
}
