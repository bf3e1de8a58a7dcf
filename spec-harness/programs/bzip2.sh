spec=401.bzip2 match=same
what="bzip2 1.0.8 (SPEC has 1.0.3): -9 and -d of a tar of sources, tables and text"
debian="bzip2 gnugo sqlite3"

build() {
  c_program "$sources/bzip2" -D_FILE_OFFSET_BITS=64 blocksort.c huffman.c crctable.c randtable.c \
    compress.c decompress.c bzlib.c bzip2.c
}

inputs() {
  corpus
  slice 0 20000000 >train
  slice 32000000 3500000 >short
  slice 37000000 27000000 >ref
}

workload() {
  run -9c <"$inputs/$1" >out.bz2
  run -dc <out.bz2 >out
}
