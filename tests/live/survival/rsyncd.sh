# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="rsync python3"

title() {
  rsync --version | sed -n '1s/rsync *version \([0-9.]*\).*/rsync \1: daemon, a tree there and back with compression/p'
}

prepare() {
  mkdir -p "$input/tree"
  for i in $(seq 60); do
    seq "$i" $((i * 700)) >"$input/tree/file$i"
  done
}

run() {
  port=$(free_port)
  mkdir there
  cat >conf <<END
[data]
  path = $PWD/there
  read only = no
  use chroot = no
  uid = $(id -un)
  gid = $(id -gn)
  munge symlinks = no
END
  "$@" rsync --daemon --no-detach --config="$PWD/conf" --address=127.0.0.1 --port="$port" --log-file="$PWD/log" >out.log 2>&1 &
  server=$!
  wait_until rsync "rsync://127.0.0.1:$port/data/" || {
    cat log out.log
    return 1
  }
  rsync -az "$input/tree/" "rsync://127.0.0.1:$port/data/"
  seq 100000 >there/file7
  rsync -azc --delete "$input/tree/" "rsync://127.0.0.1:$port/data/" && echo pushed
  rsync -azc "rsync://127.0.0.1:$port/data/" back/ && echo pulled
  diff -r "$input/tree" back && echo same
  kill $server
  status=0
  wait $server || status=$?
  echo "status $status"
}
