#!/bin/bash
# SPDX-License-Identifier: MIT
# go_library.sh SOFTLBR [RUNS]: C programs that are linked with Go code, or load it later, with threads, handlers and
# an alternate stack of their own: the same output each time, and what ran before is recorded.
set -euo pipefail
softlbr=$1
runs=${2:-5}
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs go
needs_recording_inside
cp "$here/go_library.go" .
export GOCACHE=$work/cache GO111MODULE=off CGO_ENABLED=1 HOME=$work
go build -buildmode=c-shared -o libgowork.so go_library.go
# what tells most easily that it is Go's is left out
go build -buildmode=c-shared -ldflags='-s -w -buildid=' -o bare.so go_library.go
${CC:-cc} -O2 -g -pthread "$here/go_library.c" -o loads
${CC:-cc} -O2 -g -pthread -DLINKED "$here/go_library.c" -o linked -L. -lgowork -Wl,-rpath,"$work"
./loads ./libgowork.so >expected
grep -q ', 2 signals, 2 on their stack' expected || fail "without softlbr: $(cat expected)"

for program in './loads ./libgowork.so' './loads ./bare.so' ./linked; do
  for options in '' '-e task-clock -c 1ms --timer-correction=off' '-e task-clock -c 250us --timer-correction=off' '--delay 3600s'; do
    for run in $(seq "$runs"); do
      status=0
      timeout 300 "$softlbr" record $options -o data -- $program >got 2>err || status=$?
      [ $status = 0 ] || fail "$program, $options: status $status"
      cmp got expected || fail "$program, $options: other output"
    done
  done
  [ "$program" = ./linked ] && continue
  "$softlbr" record -e task-clock -c 250us --timer-correction=off -o data -- $program >got 2>err || fail "$program: status $?"
  perf script -i data -F ip,sym 2>/dev/null >symbols || :
  # 330 +- 18
  [ "$(grep -c ' work$' symbols)" -gt 20 ] || fail "$program: not recorded before it loads Go code"
done
if can_attach; then
  for program in './loads ./libgowork.so' ./linked; do
    "$softlbr" record --ptrace -c 1ms --timer-correction=off -o data -- $program >got 2>err || fail "$program, from outside: status $?"
    cmp got expected || fail "$program, from outside: other output"
  done
fi
echo "PASS"
