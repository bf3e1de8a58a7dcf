#!/bin/bash
# SPDX-License-Identifier: MIT
# stacks.sh SOFTLBR: alternate signal stacks of a program's own, handlers on and off them, coroutines with
# stacks of 2 KB: all as it is without softlbr.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording
${CC:-cc} -O2 -g -pthread "$here/stacks.c" -o stacks
./stacks >expected || fail "without softlbr: $(cat expected)"
check() {
  timeout 300 "$softlbr" record -e task-clock -c 200us --timer-correction=off -o data "$@" -- ./stacks >got 2>err ||
    fail "$*: status $?: $(cat got err)"
  cmp got expected || fail "$*: other output"
  perf script -i data -F ip,sym 2>perf.err >traces
  # 4,600 +- 68; 750 +- 27 at least where it is switched
  [ "$(grep -c . traces)" -gt 300 ] || fail "$*: $(grep -c . traces) samples"
}
check
check --lookahead off
check --on 20ms --off 10ms
echo "PASS"
