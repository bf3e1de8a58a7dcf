#!/bin/bash
# SPDX-License-Identifier: MIT
# threads.sh SOFTLBR [PROGRAM...]: recordings of threaded programs by default against exact counts (callgrind, which
# runs one thread at a time): overlap, branches recorded for each second of processor time, audits and overhead.
# The table is kept in threads.txt; the floors that have to hold are in threads.py.
#
# RATES_WORK names a directory in which programs, exact counts and recordings stay for the next run.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
softlbr=$(realpath "$1")
shift
programs=${*:-zstd server pool pigz pbzip2 x264 xz}
kept=${RATES_WORK:-$work}
mkdir -p "$kept"

needs valgrind g++
needs_recording_inside

fetch() {
  [ -d "$1" ] || "$root/scripts/fetch-source.sh" "$1" "$PWD/$1" || skip "$1's source package can't be had"
}
text() {
  find /usr/include -name '*.h' -type f | sort | xargs cat | head -c "$1" >input || true
}

# build_NAME: make ./program, its input and its arguments in the current directory.
build_zstd() {
  fetch libzstd
  (cd libzstd && gcc -O2 -g -w -pthread -DZSTD_MULTITHREAD -DZSTD_NODICT -DZSTD_NOTRACE \
    -DZSTD_LEGACY_SUPPORT=0 -DZSTD_DISABLE_ASM=1 -DXXH_NAMESPACE=ZSTD_ -Ilib -Ilib/common -Ilib/dictBuilder \
    lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c \
    programs/*.c -o ../program)
  text 12000000
  echo -q -9 -T2 -B1000000 -c >arguments
}
build_pigz() {
  fetch pigz
  fetch zlib
  (cd zlib && ./configure --static >../log && make libz.a >>../log)
  gcc -O2 -g -w -pthread -DNOZOPFLI -Izlib pigz/pigz.c pigz/yarn.c pigz/try.c zlib/libz.a -lm -o program
  text 12000000
  echo -p2 -c >arguments
}
build_pbzip2() {
  fetch pbzip2
  fetch bzip2
  gcc -O2 -g -w -D_FILE_OFFSET_BITS=64 -c bzip2/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib}.c
  g++ -O2 -g -w -pthread -D_FILE_OFFSET_BITS=64 -DUSE_STACKSIZE_CUSTOMIZATION -Ibzip2 pbzip2/*.cpp ./*.o -o program
  text 12000000
  echo -p2 -3 -b3 -c >arguments
}
build_server() {
  gcc -O2 -g -pthread "$here/programs/server.c" -o program
  python3 "$here/programs/requests.py" 60000 4 >input
  echo 4 >arguments
}
build_pool() {
  g++ -O2 -g -pthread "$here/programs/pool.cc" -o program
  : >input
  echo 4 1200 >arguments
}
build_x264() {
  fetch x264
  (cd x264 && ./configure --disable-asm --bit-depth=8 --chroma-format=420 --disable-opencl --disable-avs \
    --disable-swscale --disable-lavf --disable-ffms --disable-gpac --disable-lsmash --disable-interlaced \
    --extra-cflags="-O2 -g -fno-tree-vectorize" >../log 2>&1 && make -j2 x264 >>../log 2>&1 && cp x264 ../program)
  gcc -O1 "$root/spec-harness/programs/data/film.c" -o film
  ./film 30 7 >input
  echo --quiet --no-progress --threads 2 --preset medium --crf 23 --demuxer raw --input-res 352x288 --fps 25 \
    -o /dev/null - >arguments
}
build_xz() {
  fetch xz-utils
  (cd xz-utils && ./configure --disable-shared --disable-nls --disable-doc CFLAGS="-O2 -g -w" >../log 2>&1 &&
    make -j2 >>../log 2>&1 && cp src/xz/xz ../program)
  text 4000000
  echo -6 -T2 --block-size=1000000 -c >arguments
}

# What has no source package here is left out.
made=
for program in $programs; do
  mkdir -p "$kept/$program"
  set +e
  (
    set -e
    cd "$kept/$program"
    [ -s arguments ] || "build_$program"
    [ -s callgrind.out ] || valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no \
      --callgrind-out-file=callgrind.out ./program $(cat arguments) <input >/dev/null 2>valgrind.log
  )
  status=$?
  set -e
  case $status in
    0) made="$made $program" ;;
    77) ;;
    *) fail "$program can't be built, or not be run by callgrind" ;;
  esac
done
[ -n "$made" ] || skip "no program is left"
python3 "$here/threads.py" "$softlbr" "$kept" $made
