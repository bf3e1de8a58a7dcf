# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="mosquitto mosquitto_pub mosquitto_sub python3"

title() {
  mosquitto -h | sed -n '1s/mosquitto version \([0-9.]*\)/mosquitto \1: 2000 messages of 2 publishers to 2 subscribers, retained ones/p'
}

prepare() {
  :
}

run() {
  port=$(free_port)
  printf 'listener %s 127.0.0.1\nallow_anonymous true\nuser %s\nmax_queued_messages 0\n' "$port" "$(id -un)" >conf
  "$@" mosquitto -c conf >log 2>&1 &
  server=$!
  wait_until mosquitto_pub -p "$port" -t kept -r -m kept || {
    cat log
    return 1
  }
  for n in 1 2; do
    timeout 60 mosquitto_sub -p "$port" -q 1 -t "all/#" >"got$n" &
    readers="${readers:-} $!"
  done
  # until both are there; how often it is asked is not counted
  wait_until sh -c "mosquitto_pub -p $port -t all/0 -m ready; grep -q ready got1 && grep -q ready got2"
  for n in 1 2; do
    seq 1 1000 | sed "s/^/$n./" | mosquitto_pub -p "$port" -q 1 -t "all/$n" -l &
    writers="${writers:-} $!"
  done
  wait $writers
  wait_until sh -c '[ $(grep -vc ready got1) = 2000 ] && [ $(grep -vc ready got2) = 2000 ]' || echo missing
  for n in 1 2; do
    for w in 1 2; do grep "^$w" "got$n" | sha256sum; done
  done
  mosquitto_sub -p "$port" -t kept -C 1
  kill $readers 2>/dev/null || :
  status=0
  kill $server
  wait $server || status=$?
  echo "status $status"
}
