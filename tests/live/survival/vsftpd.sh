# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="vsftpd lftp python3"

title() {
  dpkg-query -W -f 'vsftpd ${Version}: a process per session, files there and back\n' vsftpd
}

prepare() {
  seq 200000 >"$input/file"
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
xferlog_enable=NO
ftp_username=nobody
END
  chown root conf
  "$@" vsftpd "$PWD/conf" >log 2>&1 &
  server=$!
  for i in 1 2 3; do
    wait_until lftp -c "set net:timeout 20; set net:max-retries 3; open ftp://127.0.0.1:$port; cat pub/down -o got$i"
    cmp "got$i" "$input/file" && echo same
  done
  lftp -c "set net:timeout 20; open ftp://127.0.0.1:$port; cls pub"
  kill $server
  wait $server
  echo "status $?"
}
