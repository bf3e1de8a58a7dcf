#!/bin/sh
# SPDX-License-Identifier: MIT
# nightly.sh [PART...]: what scripts/test.sh leaves out, in parts that can be run alone. Without PART: all of them.
#
#   guest     AArch64 under QEMU (ctest -L guest)
#   tsan      the unit tests under ThreadSanitizer
#   analyzer  clang's static analyzer over the product
#   fuzz      the unit tests, the corpora and 5,000 damaged inputs of whole commands in clang's build, then each fuzz
#             target for NIGHTLY_FUZZ_SECONDS (900), with what it finds kept
#   matrix    other releases of Debian, and what their compilers and tools make of profiles (scripts/matrix.sh; as root)
#   long      the other long tests (ctest -L long)
#
# NIGHTLY_DIR (build-nightly in the source tree) keeps builds, logs, corpora and a file per part that says how it
# ended; a part that passed on this commit is not run again. SOFTLBR_JOBS sets the parallel jobs. The last lines are a
# table of the parts; the status is 1 if one of them failed. benchmarks/attacks.py makes a table of what fuzzing and other
# attacks found, from NIGHTLY_DIR.
set -eu
cd "$(dirname "$0")/.."
work=${NIGHTLY_DIR:-$PWD/build-nightly}
seconds=${NIGHTLY_FUZZ_SECONDS:-900}
jobs=${SOFTLBR_JOBS:-$(nproc)}
commit=$(git -c safe.directory='*' rev-parse HEAD 2>/dev/null || echo unknown)
all="guest tsan analyzer fuzz matrix long"
for part in "$@"; do
  case " $all " in
    *" $part "*) ;;
    *)
      echo "nightly.sh: no part $part: $all" >&2
      exit 2
      ;;
  esac
done
mkdir -p "$work"
work=$(cd "$work" && pwd)
unset SOFTLBR_SHARED
export SOFTLBR_FIGURES="$work/attacks.log"

build() {
  preset=$1
  shift
  cmake --preset "$preset" -B "$work/$preset" --log-level=WARNING -DBUILD_TESTING=ON "$@" >/dev/null &&
    cmake --build "$work/$preset" -j "$jobs" -- --quiet
}

tests() {
  preset=$1
  shift
  ctest --test-dir "$work/$preset" --output-on-failure --no-tests=error "$@"
}

run_guest() {
  build release && tests release -L guest
}

run_tsan() {
  build tsan && tests tsan -j "$jobs" -L unit
}

run_analyzer() {
  build release && tests release -R '^tree-analyzer$'
}

# fuzz_one TARGET: from the corpus in the tree and what earlier nights added to it.
fuzz_one() {
  mkdir -p "$work/corpus/$1" "$work/findings"
  nice "$work/fuzz/tests/fuzz-$1" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2560 -print_final_stats=1 \
    -artifact_prefix="$work/findings/$1-" "$work/corpus/$1" "tests/fuzz/corpus/$1" >"$work/fuzz-$1.log" 2>&1 || {
    tail -n 40 "$work/fuzz-$1.log"
    echo "fuzz-$1 found something: $work/findings"
    return 1
  }
  echo "fuzz-$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/fuzz-$1.log") inputs, nothing found"
}

run_fuzz() {
  build fuzz || return 1
  rc=0 running=
  tests fuzz -j "$jobs" -L 'unit|fuzz' || rc=1
  tests fuzz -R '^live-mutated-whole$' || rc=1
  for target in "$work"/fuzz/tests/fuzz-* end; do
    if [ -x "$target" ]; then
      fuzz_one "${target##*/fuzz-}" &
      running="$running $!"
      # shellcheck disable=SC2086 # a word each
      set -- $running
      [ $# -eq "$jobs" ] || continue
    fi
    for pid in $running; do wait "$pid" || rc=1; done
    running=
  done
  return $rc
}

run_matrix() {
  MATRIX_DIR="$work/matrix" SOFTLBR_JOBS="$jobs" scripts/matrix.sh
}

run_long() {
  scripts/install-deps.sh --survival && build release && tests release -L long -LE guest -E '^tree-analyzer$'
}

scripts/install-deps.sh --build --test --demo
failed=0
for part in ${*:-$all}; do
  state=$work/$part.state
  if grep -qs "^passed .*$commit" "$state"; then
    continue
  fi
  begin=$(date +%s)
  printf '\n== %s\n' "$part"
  if "run_$part" >"$work/$part.log" 2>&1; then
    result=passed
  else
    result=FAILED
    failed=1
    tail -n 60 "$work/$part.log"
  fi
  if [ "$part" = fuzz ]; then
    figures="$(grep -c 'nothing found' "$work/fuzz.log" || true) targets of $seconds s"
  elif [ "$part" = matrix ]; then
    figures="$(grep -c ' passed in ' "$work/matrix.log" || true) steps"
  else
    figures=$(grep -E 'tests passed|tests failed' "$work/$part.log" | tail -n 1)
  fi
  echo "$result in $((($(date +%s) - begin) / 60)) min, ${figures:-no figures}, commit $commit" >"$state"
done

printf '\n== nightly\n'
for part in ${*:-$all}; do
  printf '%-9s %s\n' "$part" "$(cat "$work/$part.state")"
  sed -n '/did not run:/,/^$/p' "$work/$part.log"
done
exit $failed
