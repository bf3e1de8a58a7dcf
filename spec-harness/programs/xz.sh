spec=557.xz match=same
what="xz 5.4.1 (a program of CPU2017): -6 and -d of a tar of sources, tables and text"
debian="xz-utils gnugo sqlite3"

build() {
  mkdir "$BUILD/tree" && cd "$BUILD/tree"
  CC=$CC CFLAGS="$CFLAGS -w" LDFLAGS=$LDFLAGS "$sources/xz-utils/configure" --disable-shared \
    --disable-nls --disable-scripts --disable-doc --disable-lzmadec --disable-lzmainfo \
    --enable-threads=no >configure.log 2>&1
  make -j"$JOBS" >make.log 2>&1
  cp src/xz/xz "$BUILD/xz"
}

inputs() {
  corpus
  slice 0 4500000 >train
  slice 32000000 1500000 >short
  slice 37000000 12000000 >ref
}

workload() {
  run -6c <"$inputs/$1" >out.xz
  run -dc <out.xz >out
  run -dc <out.xz >/dev/null
}
