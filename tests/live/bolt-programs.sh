#!/bin/bash
# SPDX-License-Identifier: MIT
# Six programs from Debian's sources, two of them C++, as PIE and not: our fdata of a recording and of
# exact counts (callgrind) is accepted whole by each llvm-bolt that is here (no stale function, no unknown
# name), and the optimized programs print the same. usage: bolt-programs.sh SOFTLBR [PROGRAM...]
set -euo pipefail
softlbr=$(readlink -f "$1")
shift
. "$(dirname "$0")/../prelude.sh"
status=0
all="bzip2 lua5.4 sqlite3 brotli lzip minisat2"

fail() {
  echo "FAILED: $*"
  status=1
}

needs gcc g++ valgrind python3
bolts=$(each llvm-bolt 16) || skip "llvm-bolt is not installed"
needs_recording

# What follows: build COMPILER-OPTION... in the directory of PROGRAM's sources makes ../program;
# prepare makes ../input from what is in ../source; run COMMAND runs it in the directory above.
build_bzip2() {
  gcc "$@" -D_FILE_OFFSET_BITS=64 blocksort.c huffman.c crctable.c randtable.c compress.c \
    decompress.c bzlib.c bzip2.c -o ../program
}
prepare_bzip2() { cat ./*.c ./*.c >../input; }
run_bzip2() { "$@" -9 -c <input; }

build_lua5.4() {
  rm -f src/luac.c
  echo '#define DEB_HOST_MULTIARCH ""' >src/lua5.4-deb-multiarch.h # Debian's patch wants it
  # llvm-bolt-16 breaks lua with gcc's .cold parts even without a profile, and llvm-bolt-19 refuses
  # the computed gotos of the PIE with perf2bolt's profile too.
  gcc "$@" -fno-reorder-blocks-and-partition -DLUA_USE_JUMPTABLE=0 -DLUA_USE_POSIX src/*.c \
    -o ../program -lm
}
prepare_lua5.4() { cp "$root/spec-harness/programs/data/work.lua" ../input; }
run_lua5.4() { "$@" input 1; }

build_sqlite3() {
  [ -f sqlite3.c ] ||
    { ./configure --disable-tcl --disable-readline && make sqlite3.c shell.c; } >../log 2>&1
  gcc "$@" -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION sqlite3.c shell.c -o ../program -lm
}
prepare_sqlite3() { "$root/examples/sqlite/training.sh" 20000 2 >../input; }
run_sqlite3() { "$@" <input; }

build_brotli() {
  gcc "$@" -Ic/include c/common/*.c c/dec/*.c c/enc/*.c c/tools/brotli.c -o ../program -lm
}
prepare_brotli() { cat c/enc/*.c >../input; }
run_brotli() { "$@" -q 9 -c <input; }

build_lzip() { g++ "$@" -DPROGVERSION='"test"' ./*.cc -o ../program; }
prepare_lzip() { cat ./*.cc ./*.h testsuite/* >../input; }
run_lzip() { "$@" -6 -c <input; }

build_minisat2() {
  local main
  main=$(find . -path '*core/Main.c*' | head -n 1)
  g++ "$@" -I. -Iminisat -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -fpermissive "$main" \
    "${main%/Main.c*}"/Solver.c* "${main%core/*}"utils/Options.c* "${main%core/*}"utils/System.c* \
    -o ../program -lz
}
# random 3-SAT close to where it is hardest
prepare_minisat2() {
  python3 - >../input <<'END'
import random
random.seed(7)
n, m = 150, 639
print("p cnf", n, m)
for _ in range(m):
    print(*(v * random.choice((1, -1)) for v in random.sample(range(1, n + 1), 3)), 0)
END
}
# 10 and 20, the statuses, are its answers; its other lines say how long it took.
run_minisat2() { { "$@" -verb=0 input || true; } | grep SATISFIABLE; }

# optimize NAME FDATA LLVM-BOLT
optimize() {
  local log=$1.$3.log
  "$3" program -data "$2" -o program.bolt -reorder-blocks=ext-tsp \
    -reorder-functions=hfsort -split-functions -split-all-cold -dyno-stats -stale-threshold=0 \
    -report-stale >"$log" 2>&1 || {
    fail "$1: $3 refuses $2"
    tail -n 20 "$log"
    return
  }
  ! grep 'invalid (possibly stale)' "$log" || fail "$1: stale functions by $3 in $2"
  run_"$program" ./program.bolt 2>/dev/null | cmp - expected ||
    fail "$1: other output after $3 with $2"
  echo "$1: $2: $3: $(sed -nE 's/.* ([0-9]+) out of .* non-empty execution profile/\1/p' "$log")" \
    "functions, $(sed -nE 's/.*: taken branches \((.*)\).*/\1/p' "$log") taken branches"
  # Of records that come from no symbol BOLT says that it ignored one object, as of perf2bolt's.
  grep -v '^0 ' "$2" >named
  "$3" program -data named -o program.bolt >"$log" 2>&1 || true
  ! grep 'objects was ignored' "$log" || fail "$1: names that $3 does not know in $2"
}

# convert NAME PROFILE FDATA
convert() {
  local rc=0
  "$softlbr" convert --binary program --profile "$2" --to fdata="$3" 2>log || rc=$?
  [ $rc = 0 ] || [ $rc = 5 ] || {
    fail "$1: convert $2: status $rc"
    cat log
    return 1
  }
}

# check MODE OPTION...: of $program, in its directory
check() {
  local name=$program-$1 bolt
  shift
  if ! (cd source && build_"$program" -O2 -g -w -Wl,-q "$@") 2>build.log; then
    fail "$name: cannot be built"
    tail -n 5 build.log
    return
  fi
  (cd source && prepare_"$program")
  run_"$program" ./program >expected
  run_"$program" "$softlbr" record -c 200us --timer-correction=off -o recording -- ./program >recorded 2>log ||
    fail "$name: record"
  cmp recorded expected || fail "$name: other output when recorded"
  run_"$program" valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no \
    --callgrind-out-file=callgrind.out ./program >counted 2>log || fail "$name: callgrind"
  convert "$name" recording recorded.fdata && for bolt in $bolts; do
    optimize "$name" recorded.fdata "$bolt"
  done
  convert "$name" callgrind.out exact.fdata && for bolt in $bolts; do
    optimize "$name" exact.fdata "$bolt"
  done
}

done=0
for program in ${*:-$all}; do
  mkdir "$work/$program"
  cd "$work/$program"
  "$root/scripts/fetch-source.sh" "$program" "$PWD/source" || continue
  done=$((done + 1))
  check pie -fPIE -pie
  check nopie -fno-pie -no-pie
done
[ $done -gt 0 ] || skip "no source package can be had"
echo "$done programs"
exit $status
