#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh [--embedded] [--check] [--keep DIR]: from an ordinary program to a faster one, by `softlbr pgo`.
#
# Builds, records and rebuilds sqlite3 by gcc, llvm-bolt and clang, as far as they are there, and measures it at work
# that was not recorded. Installs what is missing, builds softlbr.
#   --embedded   take the program in examples/interpreter (also taken when sqlite3 can't be had): quicker
#   --check      fail unless the gains reach the floors that are stated at the end
#   --keep DIR   work in DIR and leave everything there
# Environment: SOFTLBR (a built softlbr to use).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
embedded=
check=
keep=

usage() {
  sed -n '3,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --embedded) embedded=yes ;;
    --check) check=yes ;;
    --keep) keep=${2:?} && shift ;;
    *) usage ;;
  esac
  shift
done

started=$(date +%s)
step() {
  printf '[%3d s] %s\n' $(($(date +%s) - started)) "$*"
}

die() {
  echo "demo: $*" >&2
  exit 1
}

# logged NAME COMMAND...: the output goes to a log that is shown only if COMMAND fails
logged() {
  log=$work/$1.log
  shift
  "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    die "failed: $*"
  }
}

if [ -n "$keep" ]; then
  mkdir -p "$keep"
  work=$(cd "$keep" && pwd)
else
  work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-demo.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
fi

step "installing what is needed (nothing is changed if it is there)"
"$root/scripts/install-deps.sh" --build --demo
if [ -n "${SOFTLBR:-}" ]; then
  softlbr=$(realpath "$SOFTLBR")
else
  step "building softlbr"
  . "$root/scripts/alive.sh"
  alive demo logged build "$root/scripts/build.sh"
  softlbr=$root/build/softlbr
fi
clang=$("$root/scripts/newest.sh" clang) || clang=
bolt=$("$root/scripts/newest.sh" llvm-bolt) || bolt=

if [ -z "$embedded" ]; then
  step "fetching sqlite3's source package and making its amalgamation"
  . "$root/scripts/demo/sqlite.sh"
  program_prepare "$work/gcc" || {
    echo "        sqlite3's source can't be had here (see above): taking the bundled program"
    embedded=yes
  }
fi
if [ -n "$embedded" ]; then
  . "$root/scripts/demo/interpreter.sh"
  program_prepare "$work/gcc"
fi
[ -z "$clang" ] || cp -r "$work/gcc" "$work/clang"
step "program: $program_title"

# pgo NAME MAKE [OPTION...]: in the directory NAME
pgo() {
  name=$1
  build=$2
  shift 2
  step "softlbr pgo --build='$build' --run='$program_run' --test-run='$program_test' $*"
  "$softlbr" pgo -C "$work/$name" --build="$build" --run="$program_run" --test-run="$program_test" "$@" ||
    die "softlbr pgo ended with status $?"
}

pgo gcc 'make -j2 CC=gcc' ${bolt:+--also-bolt}
[ -n "$bolt" ] || echo "        no llvm-bolt here: its row is left out"
if [ -n "$clang" ]; then
  pgo clang "make -j2 CC=$clang"
else
  echo "        no clang here: its row is left out"
fi

missed=0
# floor NAME PERCENT WHAT: beside what is asked of it
floor() {
  least=$(echo "$program_floors" | sed "s/.*$1 \([0-9]*\).*/\1/")
  verdict=$(awk -v is="${2:-0}" -v least="$least" 'BEGIN { print (is + 0 >= least ? "met" : "MISSED") }')
  [ $verdict = met ] || missed=1
  printf '%-62s %6s %%  (floor %d %%: %s)\n' "$3" "${2:-?}" "$least" $verdict
}

# said NAME PATTERN: the part \1 of what softlbr pgo said, of its state
said() {
  sed -n "s|^# *$2|\1|p" "$work/$1/.softlbr-pgo/state"
}

# fewer NAME BUILD: instructions of the test run, in percent
fewer() {
  said "$1" "measure  *$2$program_test: .*instructions \([-+0-9.]*\) %.*" | awk '{ printf "%.1f", -$1 }'
}

step "done${keep:+; everything is in $work}"
floor gcc "$(fewer gcc "${bolt:+rebuilt, }")" "gcc, counters of a recording: fewer instructions"
[ -z "$bolt" ] || floor bolt "$(said gcc 'bolt .*, \([0-9.]*\) % fewer taken branches.*')" \
  "then $bolt: fewer taken branches, by its own count"
[ -z "$clang" ] || floor clang "$(fewer clang '')" "$clang, sample profile of a recording: fewer instructions"
[ -z "$check" ] || exit $missed
