#!/bin/sh
# SPDX-License-Identifier: MIT
# matrix.sh [--projects] [SUITE...]: softlbr on releases of Debian, in roots of their own: bookworm, trixie, sid (all of
# them).
#
# In each suite a fresh copy of this commit is built without warnings, its unit and case tests, those of gcc's counters
# and its demo are run, and each compiler and tool of the suite is given profiles of one recording
# (scripts/matrix/consumers.py). With --projects softlbr pgo is run on real projects there, too (benchmarks/projects.py;
# an hour or two a suite): SUITE.projects.json.
#
# MATRIX_DIR (build-matrix in the source tree) keeps the roots, a log of each step, and a file per step that says how it
# ended; a step that passed on this commit is not run again. MATRIX_MIRROR is where packages come from, else what this
# machine's apt has for Debian. SOFTLBR_JOBS sets the parallel jobs. Needs root, mmdebstrap and unshare: a root has
# mounts of its own, and a /dev of its own. matrix.json there is the section of docs/evaluation. The status is 1 if a step
# failed.
set -eu
cd "$(dirname "$0")/.."
work=${MATRIX_DIR:-$PWD/build-matrix}
jobs=${SOFTLBR_JOBS:-$(nproc)}
commit=$(git -c safe.directory='*' rev-parse HEAD)
all="bookworm trixie sid"
steps="root deps build tests counters demo consumers"
[ "${1:-}" != --projects ] || {
  steps="$steps projects"
  shift
}
for suite in "$@"; do
  case " $all " in
    *" $suite "*) ;;
    *)
      echo "matrix.sh: no suite $suite: $all" >&2
      exit 2
      ;;
  esac
done
[ "$(id -u)" = 0 ] || {
  echo "matrix.sh: needs root, to make roots of other releases" >&2
  exit 1
}
command -v mmdebstrap >/dev/null || scripts/install-deps.sh --package=mmdebstrap
mirror=${MATRIX_MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Origin: Debian' 'Label: Debian' | head -n 1)}
mkdir -p "$work"
work=$(cd "$work" && pwd)

inside() {
  suite=$1
  shift
  scripts/matrix/inside.sh "$work/$suite" "$@"
}

run_root() {
  [ ! -e "$work/$1/etc/debian_version" ] || return 0
  rm -rf "$work/$1.part"
  # what a mirror has of sid may be older than a week
  mmdebstrap --mode=root --variant=apt --aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt=force-unsafe-io --include=ca-certificates \
    "$1" "$work/$1.part" "$mirror" &&
    mkdir -p "$work/$1.part/src" && mv "$work/$1.part" "$work/$1"
}

run_deps() {
  rm -rf "$work/$1/src/softlbr"
  mkdir "$work/$1/src/softlbr"
  git -c safe.directory='*' archive "$commit" | tar x -C "$work/$1/src/softlbr" &&
    inside "$1" /src/softlbr/scripts/install-deps.sh --build --test --demo
}

run_build() {
  inside "$1" env SOFTLBR_JOBS="$jobs" /src/softlbr/scripts/build.sh -DBUILD_TESTING=ON -DSOFTLBR_WERROR=ON &&
    ! grep -i 'warning' "$work/$1.build.log" &&
    inside "$1" /src/softlbr/tests/tree/exports.sh /src/softlbr/build
}

run_tests() {
  inside "$1" ctest --test-dir /src/softlbr/build -j "$jobs" --output-on-failure --timeout 3600 --no-tests=error -L 'unit|case' -LE long
}

# The suite's own gcc makes counters, and takes them.
run_counters() {
  inside "$1" ctest --test-dir /src/softlbr/build --output-on-failure --timeout 3600 --no-tests=error \
    -R '^live-(gcda|counters|counter_directories|gcc_keys|gcc_versions)$'
}

run_demo() {
  inside "$1" env SOFTLBR=/src/softlbr/build/softlbr /src/softlbr/scripts/demo.sh --embedded --check
}

run_consumers() {
  status=0
  inside "$1" python3 /src/softlbr/scripts/matrix/consumers.py /src/softlbr/build/softlbr /src/consumers.json || status=1
  ! [ -e "$work/$1/src/consumers.json" ] || mv "$work/$1/src/consumers.json" "$work/$1.json"
  return $status
}

run_projects() {
  status=0
  inside "$1" /src/softlbr/scripts/install-deps.sh --projects || return 1
  inside "$1" env SOFTLBR_COMMIT="$commit" python3 /src/softlbr/benchmarks/projects.py /src/softlbr/build/softlbr \
    --root /src/projects --json /src/projects.json || status=1
  ! [ -e "$work/$1/src/projects.json" ] || mv "$work/$1/src/projects.json" "$work/$1.projects.json"
  return $status
}

failed=0
for suite in ${*:-$all}; do
  for step in $steps; do
    state=$work/$suite.$step.state
    ! grep -qs "^passed .*$commit" "$state" || continue
    begin=$(date +%s)
    printf '== %s: %s\n' "$suite" "$step"
    result=passed
    (set +e; "run_$step" "$suite") >"$work/$suite.$step.log" 2>&1 || result=FAILED
    echo "$result in $((($(date +%s) - begin) / 60)) min, commit $commit" >"$state"
    [ $result = passed ] && continue
    failed=1
    tail -n 40 "$work/$suite.$step.log"
    case $step in root | deps | build) break ;; esac
  done
done

printf '\n== matrix\n'
for suite in ${*:-$all}; do
  for step in $steps; do
    [ ! -e "$work/$suite.$step.state" ] || printf '%-9s %-9s %s\n' "$suite" "$step" "$(cat "$work/$suite.$step.state")"
  done
done
set --
for suite in $all; do
  [ ! -e "$work/$suite.json" ] || set -- "$@" "$work/$suite.json"
done
[ $# = 0 ] || scripts/matrix/table.py "$commit" "$@" >"$work/matrix.json"
exit $failed
