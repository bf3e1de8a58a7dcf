#!/bin/sh
# SPDX-License-Identifier: MIT
# recipe.sh PROGRAM PHASE: one step of a program of the suite. PROGRAM.sh beside this file says how.
#
#   describe      print what the program is, as NAME=VALUE lines
#   fetch         unpack the Debian source packages into $ROOT/sources, and install the packages that the
#                 build needs; 75: they can't be had
#   build         make $BUILD/PROGRAM with $CC $CXX $CFLAGS $CXXFLAGS $LDFLAGS, out of the source tree
#   inputs        make the inputs of all workloads in $ROOT/inputs/PROGRAM, the same bytes each time
#   run WORKLOAD  run $BINARY on train, short or ref in the working directory; each execution of it
#                 is prefixed with $WRAPPER
#   output        print the outputs of the last run in the working directory, as far as they must be
#                 the same in each run
#
# Environment: ROOT (kept between runs), and the variables above; JOBS (default 2).
set -eu
programs=$(cd "$(dirname "$0")" && pwd)
program=$1
phase=$2
ROOT=${ROOT:?where sources and inputs are kept}
JOBS=${JOBS:-2}
CXXFLAGS=${CXXFLAGS:-${CFLAGS:-}}
sources=$ROOT/sources
inputs=$ROOT/inputs/$program
libraries=
export LC_ALL=C

# What a program's file may leave out.
spec= match= what= language=C packages= debian=
inputs() { :; }
output() { cat out*; }

# fetched PACKAGE: its unpacked source
fetched() {
  echo "$sources/$1"
}

fetch() {
  [ -z "$packages" ] || "$programs/../../scripts/install-deps.sh" $(printf -- '--package=%s ' $packages) ||
    exit 75
  for package in $debian; do
    [ -e "$sources/$package/.complete" ] && continue
    rm -rf "$sources/$package" && mkdir -p "$sources"
    "$programs/../../scripts/fetch-source.sh" "$package" "$sources/$package" || exit 75
    : >"$sources/$package/.complete"
  done
}

# objects COMPILER FLAGS FILE...: compile files of the working directory into $BUILD/objects
objects() {
  objects_compiler=$1 objects_flags=$(printf %s "$2" | tr '\n' ' ')
  shift 2
  mkdir -p "$BUILD/objects"
  printf '%s\n' "$@" | xargs -P "$JOBS" -I{} sh -c '
    object=$2/objects/$(printf %s "$1" | sed "s,^[./]*,," | tr / _).o
    '"$objects_compiler $objects_flags"' -w -c "$1" -o "$object"' _ {} "$BUILD"
}

# link COMPILER FLAGS: all objects to the program
link() {
  $1 $2 "$BUILD"/objects/*.o $LDFLAGS -o "$BUILD/$program" $libraries
}

# c_program DIRECTORY FLAGS FILE...: compile and link
c_program() {
  cd "$1"
  c_flags=$2
  shift 2
  objects "$CC" "$CFLAGS $c_flags" "$@"
  link "$CC" "$CFLAGS"
}

# run ARGUMENT...: the program itself
run() {
  ${WRAPPER:+"$WRAPPER"} "$BINARY" "$@"
}

# corpus: $ROOT/inputs/corpus.tar, 40 MB of sources, tables and text, the same bytes each time
corpus() {
  corpus=$ROOT/inputs/corpus.tar
  [ -s "$corpus" ] && return
  mkdir -p "$ROOT/inputs"
  (cd "$sources" && tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 \
    --format=ustar -cf - gnugo/engine gnugo/patterns gnugo/regression gnugo/doc sqlite3/src \
    sqlite3/test sqlite3/ext) >"$corpus.new"
  mv "$corpus.new" "$corpus"
}

# slice OFFSET SIZE: bytes of the corpus
slice() {
  tail -c "+$(($1 + 1))" "$ROOT/inputs/corpus.tar" | head -c "$2" || true
}

# amalgamation DIRECTORY: sqlite3.c, made there
amalgamation() {
  [ -s "$1/sqlite3.c" ] && return
  mkdir -p "$1"
  (cd "$1" && "$sources/sqlite3/configure" --disable-tcl --disable-readline >configure.log 2>&1 &&
    make sqlite3.c >make.log 2>&1)
}

. "$programs/$program.sh"

case $phase in
  describe)
    for name in spec match what language debian packages; do
      eval "printf '%s=%s\n' $name \"\$$name\""
    done
    ;;
  fetch) fetch ;;
  build)
    rm -rf "${BUILD:?}" && mkdir -p "$BUILD"
    build
    [ -x "$BUILD/$program" ]
    ;;
  inputs)
    mkdir -p "$inputs"
    [ -e "$inputs/.complete" ] && exit 0
    (cd "$inputs" && inputs)
    : >"$inputs/.complete"
    ;;
  run) workload "$3" ;;
  output) output ;;
  *)
    echo "recipe.sh: no phase $phase" >&2
    exit 2
    ;;
esac
