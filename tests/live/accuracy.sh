#!/bin/sh
# SPDX-License-Identifier: MIT
# accuracy.sh SOFTLBR [sqlite|lua|python3|bzip2]: recordings against the exact counts of the same binary on the same
# input, by callgrind. At least 20,000 traces: no branch that is not there, taken ratios of conditional
# branches within 3 points on average. Also: the collector idle costs next to nothing.
set -eu
softlbr=$1
what=${2:-interpreter}
. "$(dirname "$0")/../prelude.sh"
limits="--max-false 0 --max-error 3"

needs valgrind
needs_recording

cd "$work"
fetch() {
  "$root/scripts/fetch-source.sh" "$1" "$work/source" || skip "$1's source package can't be had"
}

case $what in
  sqlite)
    fetch sqlite3
    (cd source && ./configure --disable-tcl --disable-readline && make sqlite3.c shell.c) >log 2>&1 ||
      fail "$(tail log)"
    ${CC:-gcc} -O2 -g -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION source/sqlite3.c \
      source/shell.c -o program -lm
    "$root/examples/sqlite/training.sh" 60000 2 >input
    run() { "$@" <input; }
    ;;
  lua)
    fetch lua5.4
    rm -f source/src/luac.c
    echo '#define DEB_HOST_MULTIARCH ""' >source/src/lua5.4-deb-multiarch.h # Debian's patch wants it
    ${CC:-gcc} -O2 -g -w -DLUA_USE_POSIX source/src/*.c -o program -lm
    python3 -c "import sys; sys.path.insert(0, '$root/benchmarks'); import collector; print(collector.LUA)" >input
    run() { "$@" input 10000000; }
    ;;
  python3)
    fetch python3.11
    (cd source && ./configure -q && make -j "$(nproc)" python) >log 2>&1 || fail "$(tail log)"
    cp source/python program
    # Nothing that branches on addresses, which valgrind has others of: no map of arenas, no table
    # of the containers' ids.
    python3 -c "import sys; sys.path.insert(0, '$root/benchmarks'); import collector
print(collector.PYTHON.replace('dumps(data', 'dumps(data, check_circular=False'))" >input
    run() { env PYTHONHASHSEED=0 PYTHONMALLOC=malloc PYTHONPATH="$work/source/Lib" "$@" -S -B input 4; }
    limits="--max-false 0"
    ;;
  bzip2)
    fetch bzip2
    (cd source && ${CC:-gcc} -O2 -g -w -D_FILE_OFFSET_BITS=64 blocksort.c huffman.c crctable.c \
      randtable.c compress.c decompress.c bzlib.c bzip2.c -o ../program)
    cat source/*.c source/*.c program >input
    run() { "$@" -9 -c <input; }
    ;;
  *)
    ${CC:-gcc} -O2 -g "$root"/examples/interpreter/*.c -o program
    run() { "$@" "$root/examples/interpreter/training.asm" 100; }
    ;;
esac
run ./program >expected

echo "# recording"
profiles=
traces=0
wrong=0
audits=0
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 \
  31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60; do
  run "$softlbr" record -v -e task-clock -c 100us --timer-correction=off --audit 3 -o $round.data -- ./program >out 2>err ||
    fail "$(cat err)"
  cmp out expected || fail "recorded, the program prints something else"
  wrong=$((wrong + $(sed -n 's/.* \([0-9]*\) of [0-9]* audited.*/\1/p' err)))
  audits=$((audits + $(sed -n 's/.* of \([0-9]*\) audited.*/\1/p' err)))
  profiles="$profiles --profile $round.data"
  traces=$((traces + $(sed -n 's/^softlbr: recorded.*: \([0-9]*\) samples*,.*/\1/p' err)))
  [ $traces -lt 20000 ] || break
done
echo "$traces traces, $audits audits, $wrong of them wrong"
# every third trace is audited: 6,650, as a run's last one or two are not; at most 1 in 2000 is wrong, where 0 +- 1 are
[ $audits -ge 6000 ] && [ $((wrong * 2000)) -le $audits ] || fail "audits"
[ $traces -ge 20000 ] || fail "too few traces"
"$softlbr" convert --binary program $profiles --frequencies=raw --to preagg=preagg 2>err || fail "$(cat err)"

echo "# exact counts"
run valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no \
  --callgrind-out-file=callgrind.out ./program >out 2>log
cmp out expected
python3 "$oracles/exact_edges.py" callgrind.out program exact
python3 "$here/accuracy.py" exact preagg program $limits

echo "# idle: loaded into a program, not recording"
count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
    sed -n 's/.*Collected : //p'
}
without=$(count true)
with=$(LD_PRELOAD=$(dirname "$softlbr")/libsoftlbr-collector.so count true)
echo "$((with - without)) instructions to load it: $(((with - without) * 100000 / 2000000000)) thousandths of a percent of 2e9"
# 0.1 % of a run of 2e9 instructions, none of which are ours but these
[ $((with - without)) -gt 0 ] && [ $((with - without)) -lt 2000000 ] || fail "idle costs too much"
