spec=473.astar match="sibling by method"
what="Boost.Graph 1.74's A*: ways over generated terrain"
language=C++
packages=libboost-dev

build() {
  cp "$programs/data/astar.cc" "$BUILD/astar.cc"
  cd "$BUILD"
  objects "$CXX" "$CXXFLAGS -std=gnu++14" astar.cc
  link "$CXX" "$CXXFLAGS"
}

workload() {
  case $1 in train) set -- 900 25 99 ;; short) set -- 400 16 5 ;; ref) set -- 1200 12 12345 ;; esac
  run "$@" >out
}
