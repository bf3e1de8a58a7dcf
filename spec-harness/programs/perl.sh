spec=400.perlbench match=descendant
what="miniperl 5.36 (SPEC has 5.8.7, and no shared modules either): tokens, scores and HTML of perl's manual"
debian=perl

build() {
  mkdir "$BUILD/tree" && cd "$BUILD/tree"
  sh "$sources/perl/Configure" -des -Dmksymlinks -Dcc="$CC" -Doptimize="$CFLAGS" \
    -Dldflags="$LDFLAGS" -Uusethreads -Uusedl -Uversiononly -Dlibs="-lm -lcrypt" \
    >configure.log 2>&1
  make -j"$JOBS" miniperl >make.log 2>&1 || [ -x miniperl ]
  cp miniperl "$BUILD/perl"
}

inputs() {
  mkdir lib
  cp -r "$sources/perl/lib/." lib
  pod=$sources/perl/pod
  cat "$pod"/perl[a-f]*.pod >train
  head -c 250000 "$pod/perlre.pod" >short
  cat "$pod"/perl[g-o]*.pod >ref
}

workload() {
  case $1 in train) times=2 ;; short) times=1 ;; ref) times=4 ;; esac
  PERL_HASH_SEED=0 run -I"$inputs/lib" "$programs/data/work.pl" "$inputs/$1" $times >out
}
