#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh: install what is needed, build with warnings as errors, run all tests.
#
# Three builds: gcc (all tests), gcc with ASan and UBSan (all tests), clang (warnings only). What
# takes long (`ctest -L long`), and what needs recordings that are not in the project (`ctest -L
# shared`), is not part of this; the latter is with SOFTLBR_SHARED, which names the folder that has
# them. SOFTLBR_TEST_DIR keeps the builds in another directory than the source tree, SOFTLBR_JOBS
# sets the parallel jobs.
set -eu
shared=
[ -z "${SOFTLBR_SHARED:-}" ] || shared=$(cd "$SOFTLBR_SHARED" && pwd)
unset SOFTLBR_SHARED # nothing else may hang on it
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
  cmake --preset "$preset" -B "$directory" --log-level=WARNING -DSOFTLBR_WERROR=ON -DBUILD_TESTING=ON "$@" >/dev/null
  cmake --build "$directory" -j "$jobs" -- --quiet
}

# run_tests NAME DIRECTORY CTEST_OPTION...: ctest's own account goes to the terminal and into the summary.
run_tests() {
  name=$1
  directory=$2
  shift 2
  log=$directory/$name.log
  status=0
  # a limit for what hangs: the longest tests take three minutes where nothing else runs
  ctest --test-dir "$directory" -j "$jobs" --output-on-failure --timeout 900 --no-tests=error \
    --test-output-size-passed 1000000 --test-output-size-failed 1000000 \
    --output-junit "$name.xml" "$@" >"$log" 2>&1 || status=$?
  cat "$log"
  {
    echo "$name: $(grep -E 'tests passed|tests failed|No tests' "$log" | tail -n 1)"
    python3 scripts/test-summary.py "$directory/$name.xml"
  } >>"$summary"
  [ "$status" = 0 ] || failed=1
}

step "installing what the tests need"
scripts/install-deps.sh --build --test --demo

step "build and tests, gcc, release"
configure_and_build release "$builds/build"
run_tests release "$builds/build" -LE 'long|shared'

if [ -n "$shared" ]; then
  step "tests on the recordings in $shared"
  export SOFTLBR_SHARED="$shared"
  run_tests shared "$builds/build" -L shared -LE long
  unset SOFTLBR_SHARED
fi

step "build and tests, gcc, ASan and UBSan"
configure_and_build asan "$builds/build-asan"
run_tests asan "$builds/build-asan" -LE 'long|shared'

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
set --
[ -z "$shared" ] || set -- "$builds/build/shared.xml"
python3 scripts/test-summary.py --total "$builds/build/release.xml" "$builds/build-asan/asan.xml" "$@"
exit $failed
