spec=470.lbm match="stand-in, a kernel of our own"
what="lattice Boltzmann flow in a box with obstacles"

build() {
  cp "$programs/data/lbm.c" "$BUILD/lbm.c"
  c_program "$BUILD" "" lbm.c
}

workload() {
  case $1 in train) set -- 60 60 ;; short) set -- 24 30 ;; ref) set -- 90 17 ;; esac
  run "$@" >out
}
