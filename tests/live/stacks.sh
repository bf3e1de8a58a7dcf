#!/bin/bash
# SPDX-License-Identifier: MIT
# stacks.sh SOFTLBR: alternate signal stacks of a program's own, handlers on and off them, coroutines with
# stacks of 2 KB: all as it is without softlbr.
set -euo pipefail
softlbr=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$softlbr" doctor >/dev/null 2>&1 || {
  echo "SKIP: this machine cannot record (softlbr doctor)"
  exit 77
}
fail() {
  echo "FAIL: $*"
  exit 1
}
${CC:-cc} -O2 -g -pthread "$here/stacks.c" -o stacks
./stacks >expected || fail "without softlbr: $(cat expected)"
check() {
  timeout 120 "$softlbr" record -e task-clock -c 200us -o data "$@" -- ./stacks >got 2>err ||
    fail "$*: status $?: $(cat got err)"
  cmp got expected || fail "$*: other output"
  perf script -i data -F ip,sym 2>perf.err >traces
  [ "$(grep -c . traces)" -gt 300 ] || fail "$*: $(grep -c . traces) samples"
}
check
check --lookahead off
check --on 20ms --off 10ms
echo "PASS"
