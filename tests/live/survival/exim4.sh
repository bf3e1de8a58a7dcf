# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="exim4 python3"

title() {
  exim4 --version | sed -n '1s/Exim version \([0-9.]*\).*/exim \1: SMTP daemon, 16 messages delivered to files/p'
}

prepare() {
  cat >"$input/send.py" <<'END'
import smtplib, sys
for i in range(16):
    with smtplib.SMTP("127.0.0.1", int(sys.argv[1]), local_hostname="client.example") as s:
        s.sendmail("a@client.example", ["user%d@example" % (i % 4)], "Subject: %d\r\n\r\n%s\r\n" % (i, "text %d " % i * 200))
        try:
            s.sendmail("a@client.example", ["x@elsewhere"], "no")
        except smtplib.SMTPRecipientsRefused as e:
            assert list(e.recipients.values())[0][0] == 550
END
}

run() {
  [ "$(id -u)" = 0 ] || {
    echo "needs root"
    return 75
  }
  port=$(free_port)
  mkdir -m 777 spool mail
  cat >conf <<END
rfc1413_query_timeout = 0s
primary_hostname = server.example
spool_directory = $PWD/spool
log_file_path = $PWD/spool/%slog
pid_file_path = $PWD/pid
local_interfaces = <; [127.0.0.1]:$port
acl_smtp_rcpt = rcpt
acl_smtp_data = accepted
trusted_users = root
queue_run_max = 1
begin acl
rcpt:
  accept domains = example
  deny message = no
accepted:
  accept
begin routers
files:
  driver = accept
  local_parts = user0 : user1 : user2 : user3
  domains = example
  transport = file
begin transports
file:
  driver = appendfile
  file = $PWD/mail/\$local_part_data
  user = Debian-exim
  group = Debian-exim
  create_file = anywhere
  message_prefix =
  check_owner = false
END
  chmod 644 conf
  "$@" exim4 -C "$PWD/conf" -bdf -q1h >log 2>&1 &
  server=$!
  wait_until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" || {
    cat log spool/*log
    return 1
  }
  python3 "$input/send.py" "$port" && echo sent
  wait_until sh -c '[ $(cat mail/* | grep -c ^Subject) = 16 ]'
  for user in 0 1 2 3; do
    grep '^Subject\|^text' "mail/user$user" | sort | sha256sum
  done
  kill $server
  status=0
  wait $server || status=$?
  echo "status $status"
  grep -v 'lost privilege' spool/paniclog || :
}
