# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="named dig python3"

title() {
  named -v | sed 's/BIND \([0-9.]*\).*/named (BIND) \1: a zone of its own, transfers, 1100 questions/'
}

prepare() {
  {
    echo '$TTL 60'
    echo '@ IN SOA ns root 1 60 60 60 60'
    echo ' IN NS ns'
    echo 'ns IN A 127.0.0.1'
    for i in $(seq 1000); do
      echo "host$i IN A 10.2.$((i / 256)).$((i % 256))"
    done
  } >"$input/zone"
  for i in $(seq 1000); do
    echo "host$i.example A"
    echo "host$i.example MX"
  done >"$input/questions"
  chmod a+r "$input"/*
}

run() {
  port=$(free_port)
  cat >conf <<END
options {
  directory "$PWD";
  pid-file "$PWD/pid";
  session-keyfile "$PWD/key";
  lock-file none;
  listen-on port $port { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion no;
  allow-transfer { any; };
  dnssec-validation no;
};
controls { };
zone "example" { type primary; file "$input/zone"; };
END
  "$@" named -g -n 2 -c "$PWD/conf" >log 2>&1 &
  server=$!
  wait_until sh -c "dig +short +tries=1 -p $port @127.0.0.1 host1.example | grep -q ^10" || {
    cat log
    return 1
  }
  for transport in +notcp +tcp; do
    head -n $([ $transport = +tcp ] && echo 100 || echo 1000) "$input/questions" >asked
    dig +short +tries=5 $transport -p "$port" @127.0.0.1 -f asked >"answers$transport"
    sha256sum <"answers$transport"
  done
  dig +noall +answer -p "$port" @127.0.0.1 example AXFR | sort | sha256sum
  kill $server
  status=0
  wait $server || status=$?
  echo "status $status"
}
