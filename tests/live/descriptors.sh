#!/bin/bash
# SPDX-License-Identifier: MIT
# descriptors.sh SOFTLBR: a program that closes all descriptors, takes numbers by force and looks what is
# open finds none of ours, goes on being recorded, and hands none on.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording
${CC:-cc} -O2 -g -pthread "$here/descriptors.c" -o descriptors

# check LIMIT OPTION...: with that soft limit
check() {
  (
    ulimit -Sn "$1"
    ./descriptors >expected || fail "without softlbr: $(cat expected)"
    timeout 300 "$softlbr" record -e task-clock -c 300us --timer-correction=off -o data "${@:2}" -- ./descriptors >got 2>err ||
      fail "limit $*: status $?: $(cat got err)"
  )
  cmp got expected || fail "limit $*: other output"
  perf script -i data -F ip,sym 2>perf.err >symbols
  for what in closefrom close_range close listed dup vfork fork limit; do
    # 79 +- 9, each
    [ "$(grep -c " after_$what\$" symbols)" -gt 5 ] || fail "limit $*: not recorded after $what"
  done
  [ "$(grep -c " in_a_c11_thread\$" symbols)" -gt 5 ] || fail "limit $*: the C11 thread is not recorded"
}
hard=$(ulimit -Hn)
for limit in 256 1024; do
  [ "$hard" = unlimited ] || [ "$hard" -gt $limit ] || continue
  check $limit
done
check 1024 --on 100s --off 1s
if [ "$hard" = unlimited ] || [ "$hard" -gt 8192 ]; then check 8192; fi
echo "PASS"
