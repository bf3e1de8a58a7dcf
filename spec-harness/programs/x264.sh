spec=464.h264ref match="sibling (the program of 525.x264)"
what="x264 0.164 without assembly: a generated film"
debian=x264

build() {
  mkdir "$BUILD/tree" && cd "$BUILD/tree"
  CC=$CC "$sources/x264/configure" --disable-asm --disable-thread --bit-depth=8 \
    --chroma-format=420 --disable-opencl --disable-avs --disable-swscale --disable-lavf \
    --disable-ffms --disable-gpac --disable-lsmash --disable-interlaced \
    --extra-cflags="$CFLAGS -fno-tree-vectorize" --extra-ldflags="$LDFLAGS" >configure.log 2>&1
  sed -i 's/ -O3 -ffast-math/ /; s/ -s$//' config.mak # its own flags
  make -j"$JOBS" x264 >make.log 2>&1
  cp x264 "$BUILD/x264"
}

inputs() {
  ${GCC:-gcc} -O1 "$programs/data/film.c" -o film
  ./film 60 7 >train
  ./film 12 5 >short
  ./film 100 1 >ref
}

workload() {
  run --quiet --no-progress --threads 1 --preset slow --crf 23 --demuxer raw --input-res 352x288 \
    --fps 25 -o out.264 "$inputs/$1"
}
