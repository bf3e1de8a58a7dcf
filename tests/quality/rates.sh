#!/bin/bash
# SPDX-License-Identifier: MIT
# rates.sh SOFTLBR [PROGRAM...]: our own recordings against exact counts (callgrind), by what their traces are
# weighted with: overlap of taken branches and of functions, within functions, error of taken ratios, and what
# recording costs. The table is kept in rates.txt; the floors that have to hold are in rates.py.
#
# RATES_WORK names a directory in which programs, exact counts and recordings stay for the next run.
# About an hour, most of it callgrind; on an idle machine.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
softlbr=$(realpath "$1")
shift
programs=${*:-sqlite3 lua bzip2 zstd gzip hash_join two_phases}
kept=${RATES_WORK:-$work}
mkdir -p "$kept"

needs valgrind
needs_recording

fetch() {
  [ -d source ] || "$root/scripts/fetch-source.sh" "$1" "$PWD/source" || skip "$1's source package can't be had"
}

compile() {
  ${CC:-gcc} -O2 -g -w "$@" -o program -lm
}

text() {
  find /usr/include -name '*.h' -type f | sort | xargs cat | head -c "$1" >input || true
}

# build_NAME: make ./program and its input in the current directory. run_NAME: its command, read from
# standard input; REPEAT_NAME: how many runs make a recording.
build_sqlite3() {
  fetch sqlite3
  (cd source && ./configure --disable-tcl --disable-readline && make sqlite3.c shell.c) >log 2>&1
  compile -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION source/sqlite3.c source/shell.c
  "$root/examples/sqlite/training.sh" 60000 2 >input
}
build_lua() {
  fetch lua5.4
  rm -f source/src/luac.c
  echo '#define DEB_HOST_MULTIARCH ""' >source/src/lua5.4-deb-multiarch.h # Debian's patch wants it
  compile -DLUA_USE_POSIX -D'luai_makeseed(L)=1' source/src/*.c
  cp "$here/programs/work.lua" input
}
build_bzip2() {
  fetch bzip2
  (cd source && compile -D_FILE_OFFSET_BITS=64 blocksort.c huffman.c crctable.c randtable.c compress.c \
    decompress.c bzlib.c bzip2.c && mv program ..)
  text 12000000
}
build_zstd() {
  fetch libzstd
  (cd source && compile -DZSTD_NOBENCH -DZSTD_NODICT -DZSTD_NOTRACE -DZSTD_LEGACY_SUPPORT=0 -DZSTD_DISABLE_ASM=1 \
    -DXXH_NAMESPACE=ZSTD_ -Ilib -Ilib/common -Ilib/dictBuilder lib/common/*.c lib/compress/*.c lib/decompress/*.c \
    lib/dictBuilder/*.c $(ls programs/*.c | grep -v bench) && mv program ..)
  text 12000000
}
build_gzip() {
  fetch gzip
  (cd source && ./configure CFLAGS="-O2 -g -w" && make ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=: MAKEINFO=:) >log 2>&1
  cp source/gzip program
  text 12000000
}
build_hash_join() {
  compile "$here/programs/hash_join.c"
  : >input
}
build_two_phases() {
  compile "$here/programs/two_phases.c"
  : >input
}
# Kept aside while the rules were made.
build_python3() {
  fetch python3.11
  (cd source && ./configure -q && make -j 2 python) >log 2>&1
  cp source/python program
  python3 -c "import sys; sys.path.insert(0, '$root/benchmarks'); import collector
print(collector.PYTHON.replace('dumps(data', 'dumps(data, check_circular=False'))" >input
}
arguments() {
  case $1 in
    sqlite3) ;;
    lua) echo input 400 ;;
    bzip2) echo -9 -c ;;
    zstd) echo -q -8 --single-thread -c ;;
    gzip) echo -7 -c ;;
    hash_join) echo 40 ;;
    two_phases) echo 2000000 ;;
    python3) echo -S -B input 6 ;;
  esac
}

# What branches on addresses would differ under valgrind.
export PYTHONHASHSEED=0 PYTHONMALLOC=malloc

exact() {
  valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no \
    --callgrind-out-file=callgrind.out ./program $(cat arguments) <input >/dev/null 2>valgrind.log
}

for program in $programs; do
  mkdir -p "$kept/$program"
  (
    cd "$kept/$program"
    [ $program != python3 ] || export PYTHONPATH="$PWD/source/Lib"
    [ -x program ] || "build_$program"
    arguments "$program" >arguments
    [ -s callgrind.out ] || exact
  )
done
python3 "$here/rates.py" "$softlbr" "$kept" $programs
