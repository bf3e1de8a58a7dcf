spec=403.gcc match=stand-in
what="tcc 0.9.27: compiling sqlite3, again and again"
debian="tcc sqlite3"
packages="tcl"

build() {
  mkdir "$BUILD/tree"
  (cd "$BUILD/tree" && "$sources/tcc/configure" --cc="$CC" >configure.log 2>&1)
  libraries="-lm -ldl -lpthread"
  c_program "$sources/tcc" "-I$BUILD/tree -I$sources/tcc -DTCC_TARGET_X86_64 -DONE_SOURCE=1
    -DTCC_LIBTCC1=\\\"none\\\"" tcc.c
}

inputs() {
  amalgamation "$PWD/amalgamation"
  cp -r "$sources/tcc/include" .
  cp amalgamation/sqlite3.c ref.c
  cp "$sources/tcc/"*.[ch] "$sources/tcc/"*.def .
  echo '#define TCC_VERSION "0.9.27"' >config.h
}

workload() {
  case $1 in train) times=40 source=tcc ;; short) times=3 source=ref ;; ref) times=30 source=ref ;; esac
  for i in $(seq $times); do
    run -I"$inputs/include" -I"$inputs" -I/usr/include/x86_64-linux-gnu -DTCC_TARGET_X86_64 \
      -DONE_SOURCE=1 -DSQLITE_THREADSAFE=0 -c "$inputs/$source.c" -o out.o
  done
}
