# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
needs="cc /dev/fuse"

title() {
  echo "a program that serves its own file system (FUSE) and maps a file of it, code, a file whose mount is hidden, and executes one"
}

prepare() {
  cc -O2 -g -pthread -o "$input/served_files" "$root/tests/live/served_files.c" || return 75
  cd "$input"
  ./served_files 1
}

run() {
  for how in '' code hidden program; do
    "$@" "$input/served_files" 60 $how || return
  done
}
