#!/bin/bash
# SPDX-License-Identifier: MIT
# make.sh SOFTLBR: what is committed in this folder, made again: the assembly of the programs by gcc-12, and 4,000
# bursts of branches of each as text of perf script, newest branch first: NAME.time.xz, recorded by softlbr, and
# NAME.branches.xz, out of valgrind's trace of all instructions. tests/quality/traces.sh reads them.
set -euo pipefail
softlbr=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
traces=own
. "$here/../../quality/traces.sh"
bursts=4000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# chosen DEPTH: of the bursts of standard input those of this depth that never leave the program's code
chosen() {
  python3 -c '
import re, sys
wanted, depth = map(int, sys.argv[1:])
whole = []
for line in sys.stdin:
    edges = re.findall(r"(0x[0-9a-f]+)/(0x[0-9a-f]+)/", line)
    if len(edges) == depth and all(0x401000 <= int(a, 16) < 0x410000 for edge in edges for a in edge):
        whole.append(edges)
assert len(whole) >= wanted, len(whole)
for i in range(wanted):
    edges = whole[i * len(whole) // wanted]
    print(edges[0][1][2:], *("%s/%s/P/-/-/0" % edge for edge in edges))
' $bursts "$1"
}

# by_time NAME: recorded again and again, by periods that differ, until there are enough
by_time() {
  local run=0
  # the dynamic loader is there to load softlbr's collector; code and addresses are those of ./NAME
  gcc -no-pie -nostartfiles -Wl,-Ttext=0x401000 -Wl,--no-as-needed "$traces_data/$1.s" -o dynamic
  : >all
  while [ "$(wc -l <all)" -lt $((bursts * 9 / 8)) ]; do
    run=$((run + 1))
    "$softlbr" record -e task-clock -c $((83 + run % 40))us -n 64 --stack 64 --timer-correction=off -o data -- ./dynamic \
      2>log || [ $? = 1 ] || { cat log; exit 1; }
    perf script -i data -F ip,brstack 2>log >>all
  done
  chosen 64 <all | xz -9e >"$traces_data/$1.time.xz"
}

by_branches() {
  local taken
  traces_program "$1"
  traces_exact "$1"
  taken=$(awk '$1 == "E" && $5 != "fall" { n += $4 } END { print n }' "$1.exact")
  { valgrind --tool=lackey --trace-mem=yes --log-fd=9 ./"$1" 9>&1 >/dev/null 2>/dev/null || true; } | grep '^I ' |
    python3 "$here/../../oracles/bursts_of_trace.py" $((taken / (bursts + 100))) 16 >all
  chosen 16 <all | xz -9e >"$traces_data/$1.branches.xz"
}

for name in ${2:-$programs}; do
  (cd "$traces_data" && # so that no path of this machine is in what is committed
    gcc-12 -O2 -ffreestanding -fno-pie -fno-asynchronous-unwind-tables -fno-stack-protector -fcf-protection=none \
      -fno-ident -S "$name.c" -o "$name.s")
  by_time "$name"
  by_branches "$name"
  ls -l "$traces_data/$name".*
done
