spec=453.povray match=same
what="POV-Ray 3.7 (SPEC has 3.6.1): three scenes of its own (builds for minutes)"
language=C++
debian=povray
packages="autoconf automake libboost-dev libboost-thread-dev libboost-date-time-dev zlib1g-dev"

build() {
  cp -r "$sources/povray" "$BUILD/tree"
  cd "$BUILD/tree"
  (cd unix && sh ./prebuild.sh) >prebuild.log 2>&1 || true
  CC=$CC CXX=$CXX CFLAGS="$CFLAGS -w" CXXFLAGS="$CXXFLAGS -w -std=c++11" LDFLAGS=$LDFLAGS \
    NON_REDISTRIBUTABLE_BUILD=yes ./configure COMPILED_BY=spec-harness \
    NON_REDISTRIBUTABLE_BUILD=yes --disable-optimiz --disable-optimiz-arch --disable-strip \
    --without-x --without-libsdl --without-openexr --without-libtiff --without-libjpeg \
    --without-libpng --with-boost-libdir=/usr/lib/x86_64-linux-gnu >configure.log 2>&1
  make -j"$JOBS" >make.log 2>&1
  cp unix/povray "$BUILD/povray"
}

inputs() {
  cp -r "$sources/povray/distribution/include" .
  cp "$sources/povray/distribution/scenes/advanced/"*.pov .
}

workload() {
  case $1 in train) scene=woodbox width=320 height=240 ;; short) scene=abyss width=64 height=48 ;; ref) scene=abyss width=320 height=240 ;; esac
  echo $((width * height * 3)) >pixels
  run "+L$inputs/include" "+L$inputs" "+I$scene.pov" +W$width +H$height +A0.3 +WT1 -D +FP +Oout.ppm \
    >log 2>&1
}

# the header has the date
output() {
  tail -c "$(cat pixels)" out.ppm
}
