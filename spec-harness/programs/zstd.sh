spec=extra match=extra
what="zstd 1.5.4, one thread: -16 and -d of a tar of sources, tables and text"
debian="libzstd gnugo sqlite3"

build() {
  cd "$sources/libzstd"
  c_program . "-DZSTD_NOBENCH -DZSTD_NODICT -DZSTD_NOTRACE -DZSTD_LEGACY_SUPPORT=0
    -DZSTD_DISABLE_ASM=1 -Ilib -Ilib/common -Ilib/dictBuilder -DXXH_NAMESPACE=ZSTD_" \
    lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c \
    $(ls programs/*.c | grep -v bench)
}

inputs() {
  corpus
  slice 0 7000000 >train
  slice 32000000 2000000 >short
  slice 37000000 25000000 >ref
}

workload() {
  run -q -f --single-thread -16 "$inputs/$1" -o out.zst
  for i in 1 2 3 4 5; do
    run -q -d -c out.zst >out
  done
}
