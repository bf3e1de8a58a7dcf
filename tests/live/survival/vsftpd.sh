# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="vsftpd python3"

title() {
  dpkg-query -W -f 'vsftpd ${Version}: a process per session, files there and back\n' vsftpd
}

prepare() {
  seq 200000 >"$input/file"
  cat >"$input/fetch.py" <<'END'
import ftplib, hashlib, sys
for i in range(5):
    with ftplib.FTP() as ftp:
        ftp.connect("127.0.0.1", int(sys.argv[1]), timeout=30)
        ftp.login()
        data = bytearray()
        ftp.retrbinary("RETR pub/down", data.extend)
        print(hashlib.sha256(data).hexdigest(), ftp.nlst("pub"))
END
}

run() {
  port=$(free_port)
  [ "$(id -u)" = 0 ] || {
    echo "needs root"
    return 75
  }
  mkdir -p empty place/pub
  chmod 755 . place empty
  cp "$input/file" place/pub/down
  chmod 644 place/pub/down
  cat >conf <<END
listen=YES
listen_address=127.0.0.1
listen_port=$port
background=NO
anonymous_enable=YES
anon_root=$PWD/place
no_anon_password=YES
secure_chroot_dir=$PWD/empty
seccomp_sandbox=NO
isolate=NO
isolate_network=NO
xferlog_enable=NO
ftp_username=daemon
END
  chown root conf
  "$@" vsftpd "$PWD/conf" >log 2>&1 &
  server=$!
  wait_until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" || {
    cat log
    return 1
  }
  python3 "$input/fetch.py" "$port"
  kill $server
  status=0
  wait $server || status=$?
  echo "status $status"
}
