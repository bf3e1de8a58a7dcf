# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="/usr/sbin/sshd ssh ssh-keygen python3"

title() {
  ssh -V 2>&1 | sed 's/^OpenSSH_\([0-9.p]*\).*/OpenSSH \1: sshd with its sandbox, logins by key, a file copied over each/'
}

prepare() {
  ssh-keygen -q -t ed25519 -N '' -f "$input/host"
  ssh-keygen -q -t ed25519 -N '' -f "$input/user"
  chmod 700 "$input"
  cp "$input/user.pub" "$input/authorized"
  seq 200000 >"$input/file"
  # where the server gives up its privileges: of the package, gone after a boot
  [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
}

run() {
  port=$(free_port)
  cat >config <<END
Port $port
ListenAddress 127.0.0.1
HostKey $input/host
AuthorizedKeysFile $input/authorized
PidFile $PWD/pid
StrictModes no
UsePAM no
PermitRootLogin yes
END
  "$@" /usr/sbin/sshd -D -e -f "$PWD/config" 2>server.err &
  server=$!
  wait_until test -s pid || return
  for login in $(seq "${logins:-5}"); do
    status=0
    ssh -p "$port" -i "$input/user" -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
      -o LogLevel=ERROR -o BatchMode=yes 127.0.0.1 'sha256sum; exit 3' <"$input/file" 2>&1 ||
      status=$?
    echo "login $login: $status"
  done
  kill "$(cat pid)"
  status=0
  wait $server || status=$?
  echo "sshd: $status"
  grep -i 'signal\|sandbox\|fatal' server.err || :
  grep ^softlbr server.err >&2 || :
}
