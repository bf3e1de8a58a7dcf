#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh: install what is needed, build with warnings as errors, run all tests.
#
# Three builds: gcc (all tests), gcc with ASan and UBSan (all tests), clang (warnings only). What
# takes long runs under `ctest -L long` and is not part of this. SOFTLBR_TEST_DIR keeps the builds
# in another directory than the source tree, SOFTLBR_JOBS sets the parallel jobs.
set -eu
cd "$(dirname "$0")/.."
builds=${SOFTLBR_TEST_DIR:-$PWD}
jobs=${SOFTLBR_JOBS:-$(nproc)}
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
failed=0

step() {
  printf '\n== %s\n' "$*"
}

# configure_and_build PRESET DIRECTORY [CMAKE OPTION...]
configure_and_build() {
  preset=$1
  directory=$2
  shift 2
  cmake --preset "$preset" -B "$directory" --log-level=WARNING -DSOFTLBR_WERROR=ON "$@" >/dev/null
  cmake --build "$directory" -j "$jobs" -- --quiet
}

# run_tests NAME DIRECTORY: ctest's own account goes to the terminal and into the summary.
run_tests() {
  log=$2/test.log
  status=0
  ctest --test-dir "$2" -LE long -j "$jobs" --output-on-failure --timeout 300 \
    --output-junit test.xml >"$log" 2>&1 || status=$?
  cat "$log"
  {
    echo "$1: $(grep -E 'tests passed|tests failed|No tests' "$log" | tail -n 1)"
    python3 scripts/skipped-tests.py "$2/test.xml"
  } >>"$summary"
  [ "$status" = 0 ] || failed=1
}

step "installing what the tests need"
scripts/install-deps.sh --build --test

step "build and tests, gcc, release"
configure_and_build release "$builds/build"
run_tests release "$builds/build"

step "build and tests, gcc, ASan and UBSan"
configure_and_build asan "$builds/build-asan"
run_tests asan "$builds/build-asan"

clang=
for candidate in clang-19 clang-16 clang; do
  [ -n "$clang" ] || ! command -v "$candidate" >/dev/null || clang=$candidate
done
if [ -n "$clang" ]; then
  step "build, $clang, warnings as errors"
  if (configure_and_build debug "$builds/build-clang" -DCMAKE_C_COMPILER="$clang"); then
    echo "$clang: no warnings" >>"$summary"
  else
    echo "$clang: the build FAILED" >>"$summary"
    failed=1
  fi
else
  echo "clang: not built: no clang here" >>"$summary"
fi

step "summary"
cat "$summary"
grep -E 'tests passed|tests failed' "$builds/build/test.log" | tail -n 1
exit $failed
