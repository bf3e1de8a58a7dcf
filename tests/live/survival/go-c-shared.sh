# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
needs="go gcc"

title() {
  go version | sed 's/go version go\([0-9.]*\).*/C that loads a library of go \1: threads, handlers, an alternate stack/'
}

prepare() {
  export GOCACHE="$input/cache" GO111MODULE=off CGO_ENABLED=1 HOME="$input"
  cp "$root/tests/live/go_library.go" "$input"
  cd "$input"
  go build -buildmode=c-shared -o libwork.so go_library.go || return 75
  gcc -O2 -g -pthread "$root/tests/live/go_library.c" -o work
}

run() {
  "$@" "$input/work" "$input/libwork.so"
}
