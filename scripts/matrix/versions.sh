#!/bin/sh
# SPDX-License-Identifier: MIT
# versions.sh: what builds by our profiles gain with versions of gcc, clang and llvm-bolt, beside the flags alone and
# builds by instrumentation (spec-harness/run --suite versions), in the roots that scripts/matrix.sh has built softlbr in.
#
# Sources are bookworm's everywhere. MATRIX_DIR/versions keeps every step's result, and the same command goes on where it
# ended; VERSIONS_HOURS (24) says when nothing more is begun. SOFTLBR_JOBS sets how many programs are worked on at a time.
# versions-gcc.json and its like there become sections of docs/evaluation.
set -eu
cd "$(dirname "$0")/../.."
work=${MATRIX_DIR:-$PWD/build-matrix}
jobs=${SOFTLBR_JOBS:-$(nproc)}
end=$(($(date +%s) + ${VERSIONS_HOURS:-24} * 3600))
export MATRIX_SHARED="$work/versions"
mkdir -p "$MATRIX_SHARED"
six=astar,bzip2,lua,tcc,sphinx,tetgen
twelve=$six,mcf,libquantum,hmmer,xz,gnugo,xsltproc
failed=0

inside() {
  suite=$1
  shift
  scripts/matrix/inside.sh "$work/$suite" "$@"
}

# packages SUITE NAME...
packages() {
  suite=$1
  shift
  # shellcheck disable=SC2046 # a word each
  inside "$suite" /src/softlbr/scripts/install-deps.sh $(printf -- '--package=%s ' valgrind dpkg-dev tcl libboost-dev "$@")
}

# sources: of bookworm, and the inputs
sources() {
  for program in $(echo $twelve | tr , ' '); do
    for phase in fetch inputs; do
      inside bookworm env ROOT=/src/shared/root GCC=gcc sh /src/softlbr/spec-harness/programs/recipe.sh "$program" $phase
    done
  done
}

# measure SUITE TOOL VERSION PROGRAMS [OPTION...]
measure() {
  suite=$1 tool=$2 version=$3 programs=$4
  shift 4
  printf '== %s %s on %s\n' "$tool" "$version" "$suite"
  left=$((end - $(date +%s)))
  [ $left -gt 0 ] || return 0
  inside "$suite" nice /src/softlbr/spec-harness/run --suite versions --experiments versions --only "$programs" \
    --record-seconds 20 --root /src/shared/root --out "/src/shared/$tool-$version" "--$tool" "$version" --jobs "$jobs" \
    --budget "$(awk "BEGIN { print $left / 3600 }")" "$@" || failed=1
}

packages bookworm clang-16 llvm-16 libclang-rt-16-dev bolt-16
packages sid gcc-12 g++-12 gcc-14 g++-14 gcc-16 g++-16 gcc-snapshot clang-19 llvm-19 libclang-rt-19-dev \
  clang-22 llvm-22 libclang-rt-22-dev bolt-19 bolt-23
for tool in gcc g++; do
  ln -sf /usr/lib/gcc-snapshot/bin/$tool "$work/sid/usr/local/bin/$tool-17"
done
sources
measure sid gcc 12 $twelve
measure sid gcc 16 $twelve
measure bookworm clang 16 $six
measure sid clang 19 $six
measure sid clang 22 $six
measure sid gcc 14 $six
measure sid gcc 17 $six
measure bookworm llvm-bolt 16 $six --gcc 12
measure sid llvm-bolt 19 $six --gcc 12
measure sid llvm-bolt 23 $six --gcc 12
commit=$(sed -n "s/.*commit //p" "$work/sid.build.state")
spec-harness/versions "$commit" "$MATRIX_SHARED"/*-[0-9]*/report/versions-*.json "$MATRIX_SHARED"
exit $failed
