spec=447.dealII match="by domain only"
what="TetGen 1.5.0: meshing a body for finite elements"
language=C++
debian=tetgen

build() {
  cd "$sources/tetgen"
  objects "$CXX" "$CXXFLAGS -DSELF_CHECK -DNDEBUG -I." tetgen.cxx
  objects "$CXX" "$CXXFLAGS -O0" predicates.cxx # its exact arithmetic bears no optimization
  link "$CXX" "$CXXFLAGS"
}

workload() {
  case $1 in train) size=0.0001 quality=1.25 ;; short) size=0.0008 quality=1.2 ;; ref) size=0.0002 quality=1.15 ;; esac
  cp "$sources/tetgen/example.poly" .
  run "-pq${quality}a${size}Q" example.poly >log
}

output() {
  grep -hv '^#' example.1.node example.1.ele
}
