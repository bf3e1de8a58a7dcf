#!/bin/bash
# SPDX-License-Identifier: MIT
# report.sh BUILD_DIRECTORY [ROUNDS]: how long reports take, beside perf's, in one run.
#
# 1. A 223 MiB recording of hardware, if SOFTLBR_SHARED names a folder that has hardware-lbr/gzip_westmere: its samples
#    again and again. Each view, `perf report -b` and `softlbr convert` take turns, ROUNDS times (default 5).
# 2. The same of a recording by softlbr, of the bundled interpreter.
#    Reports of both may take 1 s and 64 MiB.
# 3. The page of sqlite3's own benchmark, from Debian's source, recorded by default: it may take 2 s and 2 MB.
#
# Medians of wall and CPU time, and the greatest resident set. On a busy machine, compare CPU times with convert's, which
# docs/results.md has of a quiet one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || {
  echo "usage: report.sh BUILD_DIRECTORY [ROUNDS]" >&2
  exit 2
}
build=$(realpath "$1")
rounds=${2:-5}
softlbr=$build/softlbr
. "$here/recorded.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# run NAME COMMAND...: appends "NAME<tab>wall cpu KiB" to results
run() {
  local name=$1 status=0
  shift
  /usr/bin/time -o time -f '%e %U %S %M' "$@" >/dev/null 2>log || status=$?
  case $name:$status in
    *:0 | convert:5) awk -v n="$name" 'END { printf "%s\t%.2f %.2f %d\n", n, $1, $2 + $3, $4 }' time >>results ;;
    *) echo "$name: status $status: $(tail -n 1 log)" >&2 ;;
  esac
}

summary() {
  python3 - results <<'PY'
import collections, statistics, sys
rows = collections.defaultdict(list)
for line in open(sys.argv[1]):
    name, figures = line.rstrip("\n").split("\t")
    rows[name].append([float(f) for f in figures.split()])
for name, all_of_it in rows.items():
    wall, cpu, _ = (statistics.median(c) for c in zip(*all_of_it))
    print(f"{name:30} {wall:6.2f} s wall {cpu:6.2f} s CPU {max(r[2] for r in all_of_it) / 1024:7.1f} MiB")
PY
  rm -f results
}

# views RECORDING: in turns
views() {
  for ((i = 0; i < rounds; i++)); do
    run convert "$softlbr" convert --force -b test.binary -p "$1" --to gcov=out
    run "report (summary)" "$softlbr" report -b test.binary "$1"
    for view in branches probability misprediction latency paths; do
      run "report --view=$view" "$softlbr" report -b test.binary --view=$view "$1"
    done
    ! command -v perf >/dev/null || run "perf report -b" perf report -i "$1" -b --stdio
  done
  summary
}

# long WHOSE: of what was recorded
long() {
  python3 "$here/grow-recording.py" short.data long.data 223
  echo "$(($(stat -c %s long.data) >> 20)) MiB of records, $1"
  views long.data
  rm long.data short.data test.binary
}

[ ! -d "$hardware" ] || long "$(record)"
if kind=$(record_here); then
  long "$kind"
else
  echo "SKIP: this machine cannot record: $(tail -n 1 log)"
  exit 0
fi

recipe() {
  sh "$here/../spec-harness/programs/recipe.sh" sqlite3 "$1" >log 2>&1 || {
    echo "SKIP: sqlite3 can't be had: $1: $(tail -n 1 log)"
    exit 0
  }
}
export ROOT=${SUITE_ROOT:-$work/suite} BUILD=$work/built CC=gcc CFLAGS="-O2 -g" LDFLAGS=
mkdir built
recipe fetch
recipe build
"$softlbr" record -q -o sqlite.data -- built/sqlite3 --size 30 --testset main :memory: >log 2>&1
for ((i = 0; i < rounds; i++)); do
  run "report --html, of sqlite3" "$softlbr" report --html=page.html --force sqlite.data
done
summary
echo "the page has $(stat -c %s page.html) bytes"
