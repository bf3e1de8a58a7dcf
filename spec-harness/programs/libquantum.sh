spec=462.libquantum match=same
what="libquantum 1.1.1 (SPEC has 0.2.4): Shor's algorithm"
debian=libquantum

build() {
  (cd "$BUILD" && CC=$CC CFLAGS=-O2 "$sources/libquantum/configure" --disable-lapack \
    >configure.log 2>&1)
  cd "$sources/libquantum"
  # its complex.h would hide the system's from -I
  flags="-I$BUILD -iquote $sources/libquantum"
  libraries=-lm
  # its only source of chance
  sed 's/srand(time(0))/srand(1)/' shor.c >"$BUILD/shor.c"
  (cd "$BUILD" && objects "$CC" "$CFLAGS $flags" shor.c)
  c_program . "$flags" complex.c measure.c matrix.c gates.c qft.c classic.c qureg.c decoherence.c \
    oaddn.c omuln.c expn.c qec.c version.c objcode.c density.c error.c qtime.c
}

workload() {
  case $1 in train) set -- 247 7 ;; short) set -- 119 6 ;; ref) set -- 299 7 ;; esac
  run "$@" >out || [ $? -eq 2 ] # 2: this base gave no factor
}
