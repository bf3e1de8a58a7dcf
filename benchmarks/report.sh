 docs/speed.md has of a quiet one.#!/bin/bash
 docs/speed.md has of a quiet one.# SPDX-License-Identifier: MIT
 docs/speed.md has of a quiet one.# report.sh BUILD_DIRECTORY [ROUNDS]: how long reports take, beside perf's, in one run.
 docs/speed.md has of a quiet one.#
 docs/speed.md has of a quiet one.# 1. A 223 MiB recording of hardware, if SOFTLBR_SHARED names a folder that has hardware-lbr/gzip_westmere: its samples
 docs/speed.md has of a quiet one.#    again and again. Each view, `perf report -b` and `softlbr convert` take turns, ROUNDS times (default 5).
 docs/speed.md has of a quiet one.# 2. The same of a recording by softlbr, of the bundled interpreter.
 docs/speed.md has of a quiet one.#    Reports of both may take 1 s and 64 MiB.
 docs/speed.md has of a quiet one.# 3. The page of sqlite3's own benchmark, from Debian's source, recorded by default: it may take 2 s and 2 MB.
 docs/speed.md has of a quiet one.#
 docs/speed.md has of a quiet one.# Medians of wall and CPU time, and the greatest resident set. On a busy machine, compare CPU times with convert's, which
 docs/speed.md has of a quiet one.# docs/speed.md has of a quiet one.
 docs/speed.md has of a quiet one.set -euo pipefail
 docs/speed.md has of a quiet one.here=$(cd "$(dirname "$0")" && pwd)
 docs/speed.md has of a quiet one.[ $# -ge 1 ] || {
 docs/speed.md has of a quiet one.  echo "usage: report.sh BUILD_DIRECTORY [ROUNDS]" >&2
 docs/speed.md has of a quiet one.  exit 2
 docs/speed.md has of a quiet one.}
 docs/speed.md has of a quiet one.build=$(realpath "$1")
 docs/speed.md has of a quiet one.rounds=${2:-5}
 docs/speed.md has of a quiet one.softlbr=$build/softlbr
 docs/speed.md has of a quiet one.. "$here/recorded.sh"
 docs/speed.md has of a quiet one.work=$(mktemp -d)
 docs/speed.md has of a quiet one.trap 'rm -rf "$work"' EXIT
 docs/speed.md has of a quiet one.cd "$work"
 docs/speed.md has of a quiet one.
 docs/speed.md has of a quiet one.# run NAME COMMAND...: appends "NAME<tab>wall cpu KiB" to results
 docs/speed.md has of a quiet one.run() {
 docs/speed.md has of a quiet one.  local name=$1 status=0
 docs/speed.md has of a quiet one.  shift
 docs/speed.md has of a quiet one.  /usr/bin/time -o time -f '%e %U %S %M' "$@" >/dev/null 2>log || status=$?
 docs/speed.md has of a quiet one.  case $name:$status in
 docs/speed.md has of a quiet one.    *:0 | convert:5) awk -v n="$name" 'END { printf "%s\t%.2f %.2f %d\n", n, $1, $2 + $3, $4 }' time >>results ;;
 docs/speed.md has of a quiet one.    *) echo "$name: status $status: $(tail -n 1 log)" >&2 ;;
 docs/speed.md has of a quiet one.  esac
 docs/speed.md has of a quiet one.}
 docs/speed.md has of a quiet one.
 docs/speed.md has of a quiet one.summary() {
 docs/speed.md has of a quiet one.  python3 - results <<'PY'
 docs/speed.md has of a quiet one.import collections, statistics, sys
 docs/speed.md has of a quiet one.rows = collections.defaultdict(list)
 docs/speed.md has of a quiet one.for line in open(sys.argv[1]):
 docs/speed.md has of a quiet one.    name, figures = line.rstrip("\n").split("\t")
 docs/speed.md has of a quiet one.    rows[name].append([float(f) for f in figures.split()])
 docs/speed.md has of a quiet one.for name, all_of_it in rows.items():
 docs/speed.md has of a quiet one.    wall, cpu, _ = (statistics.median(c) for c in zip(*all_of_it))
 docs/speed.md has of a quiet one.    print(f"{name:30} {wall:6.2f} s wall {cpu:6.2f} s CPU {max(r[2] for r in all_of_it) / 1024:7.1f} MiB")
 docs/speed.md has of a quiet one.PY
 docs/speed.md has of a quiet one.  rm -f results
 docs/speed.md has of a quiet one.}
 docs/speed.md has of a quiet one.
 docs/speed.md has of a quiet one.# views RECORDING: in turns
 docs/speed.md has of a quiet one.views() {
 docs/speed.md has of a quiet one.  for ((i = 0; i < rounds; i++)); do
 docs/speed.md has of a quiet one.    run convert "$softlbr" convert --force -b test.binary -p "$1" --to gcov=out
 docs/speed.md has of a quiet one.    run "report (summary)" "$softlbr" report -b test.binary "$1"
 docs/speed.md has of a quiet one.    for view in branches probability misprediction latency paths; do
 docs/speed.md has of a quiet one.      run "report --view=$view" "$softlbr" report -b test.binary --view=$view "$1"
 docs/speed.md has of a quiet one.    done
 docs/speed.md has of a quiet one.    ! command -v perf >/dev/null || run "perf report -b" perf report -i "$1" -b --stdio
 docs/speed.md has of a quiet one.  done
 docs/speed.md has of a quiet one.  summary
 docs/speed.md has of a quiet one.}
 docs/speed.md has of a quiet one.
 docs/speed.md has of a quiet one.# long WHOSE: of what was recorded
 docs/speed.md has of a quiet one.long() {
 docs/speed.md has of a quiet one.  python3 "$here/grow-recording.py" short.data long.data 223
 docs/speed.md has of a quiet one.  echo "$(($(stat -c %s long.data) >> 20)) MiB of records, $1"
 docs/speed.md has of a quiet one.  views long.data
 docs/speed.md has of a quiet one.  rm long.data short.data test.binary
 docs/speed.md has of a quiet one.}
 docs/speed.md has of a quiet one.
 docs/speed.md has of a quiet one.[ ! -d "$hardware" ] || long "$(record)"
 docs/speed.md has of a quiet one.if kind=$(record_here); then
 docs/speed.md has of a quiet one.  long "$kind"
 docs/speed.md has of a quiet one.else
 docs/speed.md has of a quiet one.  echo "SKIP: this machine cannot record: $(tail -n 1 log)"
 docs/speed.md has of a quiet one.  exit 0
 docs/speed.md has of a quiet one.fi
 docs/speed.md has of a quiet one.
 docs/speed.md has of a quiet one.recipe() {
 docs/speed.md has of a quiet one.  sh "$here/../spec-harness/programs/recipe.sh" sqlite3 "$1" >log 2>&1 || {
 docs/speed.md has of a quiet one.    echo "SKIP: sqlite3 can't be had: $1: $(tail -n 1 log)"
 docs/speed.md has of a quiet one.    exit 0
 docs/speed.md has of a quiet one.  }
 docs/speed.md has of a quiet one.}
 docs/speed.md has of a quiet one.export ROOT=${SUITE_ROOT:-$work/suite} BUILD=$work/built CC=gcc CFLAGS="-O2 -g" LDFLAGS=
 docs/speed.md has of a quiet one.mkdir built
 docs/speed.md has of a quiet one.recipe fetch
 docs/speed.md has of a quiet one.recipe build
 docs/speed.md has of a quiet one."$softlbr" record -q -o sqlite.data -- built/sqlite3 --size 30 --testset main :memory: >log 2>&1
 docs/speed.md has of a quiet one.for ((i = 0; i < rounds; i++)); do
 docs/speed.md has of a quiet one.  run "report --html, of sqlite3" "$softlbr" report --html=page.html --force sqlite.data
 docs/speed.md has of a quiet one.done
 docs/speed.md has of a quiet one.summary
 docs/speed.md has of a quiet one.echo "the page has $(stat -c %s page.html) bytes"
