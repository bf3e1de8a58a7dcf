# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
needs="go gcc"
refused_inside="from outside"

title() {
  go version | sed 's/go version go\([0-9.]*\).*/C with an archive of go \1: threads, handlers, an alternate stack/'
}

prepare() {
  export GOCACHE="$input/cache" GO111MODULE=off CGO_ENABLED=1 HOME="$input"
  cp "$root/tests/live/go_library.go" "$input"
  cd "$input"
  go build -buildmode=c-archive -o work.a go_library.go || return 75
  gcc -O2 -g -pthread -DLINKED "$root/tests/live/go_library.c" work.a -o work
}

run() {
  "$@" "$input/work"
}
