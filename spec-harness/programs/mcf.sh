spec=429.mcf match="sibling by method"
what="LEMON 1.3.1's network simplex on generated transport networks"
language=C++
debian=liblemon

build() {
  mkdir -p "$BUILD/include/lemon"
  printf '#define LEMON_VERSION "1.3.1"\n#define LEMON_HAVE_LONG_LONG 1\n' \
    >"$BUILD/include/lemon/config.h"
  cp "$programs/data/mcf.cc" "$BUILD/mcf.cc"
  flags="-I$BUILD/include -I$sources/liblemon -std=gnu++14"
  cd "$sources/liblemon"
  objects "$CXX" "$CXXFLAGS $flags" lemon/base.cc
  cd "$BUILD"
  objects "$CXX" "$CXXFLAGS $flags" mcf.cc
  link "$CXX" "$CXXFLAGS"
}

workload() {
  case $1 in train) set -- 16000 160000 5 ;; short) set -- 6000 50000 3 ;; ref) set -- 24000 240000 1 ;; esac
  run "$@" >out
}
