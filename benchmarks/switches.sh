#!/bin/bash
# SPDX-License-Identifier: MIT
# switches.sh SOFTLBR [RUNS]: processor time of a context switch, in microseconds, without softlbr and recorded at
# several periods: medians of RUNS (5) runs of switches.c in turns. A thread's timer is set whenever the thread gets the
# processor. If it is to fire before the kernel's next tick, the processor's timer is set, too, and again when the
# thread leaves: in a virtual machine that is an exit each.
set -euo pipefail
softlbr=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
gcc -O2 -pthread -o switches "$here/switches.c"

run() {
  if [ "$1" = without ]; then
    ./switches 50000
  else
    "$softlbr" record -q -e task-clock -c "$1" -n 16 -o recording -- ./switches 50000
  fi
}

periods="without 1000s 25ms 8ms 4ms 2ms 1ms"
for ((i = 0; i < ${2:-5}; i++)); do
  for period in $periods; do
    run "$period" >>"$period.times"
  done
done
for period in $periods; do
  printf '%-8s %s\n' "$period" "$(sort -n "$period.times" | sed -n "$(((${2:-5} + 1) / 2))p")"
done
