# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="dovecot python3"

title() {
  dovecot --version | sed 's/\([0-9.]*\).*/dovecot \1: 4 clients of IMAP, each 3 sessions: messages stored, searched, removed/'
}

prepare() {
  [ "$(id -u)" = 0 ] || {
    echo "needs root"
    return 75
  }
  cat >"$input/load.py" <<'END'
import hashlib, imaplib, sys, threading

def session(user, n):
    said = []
    box = imaplib.IMAP4("127.0.0.1", int(sys.argv[1]))
    said.append(box.login(user, "secret")[0])
    if not n:
        said.append(box.create("kept")[0])
    for i in range(12):
        text = "Subject: %d of %d\r\nFrom: %s@example\r\n\r\n%s\r\n" % (i, n, user, "line %d\r\n" % i * 100)
        said.append(box.append("kept", None, '"01-Jan-2024 10:00:00 +0000"', text.encode())[0])
    said.append(box.select("kept")[1])
    said.append(box.search(None, "SUBJECT", '"3 of"')[1])
    said.append(box.search(None, "TEXT", '"line 7"')[1])
    said.append(box.store("2:4", "+FLAGS", "\\Deleted")[0])
    said.append(box.expunge()[1])
    said.append(hashlib.sha256(repr(box.fetch("1:*", "(BODY[] INTERNALDATE)")[1]).encode()).hexdigest())
    said.append(box.logout()[0])
    return said

def client(user):
    found[user] = [session(user, n) for n in range(3)]

found = {}
threads = [threading.Thread(target=client, args=("user%d" % n,)) for n in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
for user in sorted(found):
    for said in found[user]:
        print(user, said)
END
}

run() {
  port=$(free_port)
  mkdir -m 755 base state
  mkdir -m 777 mail
  printf 'user%d:{PLAIN}secret:65534:65534::::\n' 0 1 2 3 >users
  chmod 644 users
  cat >conf <<END
base_dir = $PWD/base
state_dir = $PWD/state
log_path = $PWD/errors
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:$PWD/mail/%u
first_valid_uid = 1
default_internal_user = nobody
default_internal_group = nogroup
default_login_user = nobody
passdb {
  driver = passwd-file
  args = $PWD/users
}
userdb {
  driver = static
  args = uid=65534 gid=65534 home=$PWD/mail/%u
}
service imap-login {
  inet_listener imap {
    port = $port
  }
  inet_listener imaps {
    port = 0
  }
}
END
  "$@" dovecot -F -c "$PWD/conf" >log 2>&1 &
  server=$!
  wait_until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" || {
    cat log errors
    return 1
  }
  python3 "$input/load.py" "$port"
  kill $server
  status=0
  wait $server || status=$?
  echo "status $status"
  grep -i 'error\|fatal\|panic\|killed with signal' errors | grep -v 'master: Warning: Killed with signal 15' || :
}
