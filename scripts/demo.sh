#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh [--embedded] [--check] [--rounds N] [--keep DIR]: from an ordinary program to a faster one.
#
# Records sqlite3 on a training workload, and shows what its profiles are worth on another workload
# to gcc, llvm-bolt and clang, as far as they are there. Installs what is missing, builds softlbr.
#   --embedded   take the program in examples/interpreter (also taken when sqlite3 can't be had): quicker
#   --check      fail unless the gains reach the floors that are stated in the table's footing
#   --rounds N   timed rounds (default 7; 0: count instructions only)
#   --keep DIR   work in DIR and leave everything there
# Environment: SOFTLBR (a built softlbr to use), DEMO_RECORD_OPTIONS (for `softlbr record`).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
embedded=
check=
rounds=7
keep=

usage() {
  sed -n '3,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --embedded) embedded=yes ;;
    --check) check=yes ;;
    --rounds) rounds=${2:?} && shift ;;
    --keep) keep=${2:?} && shift ;;
    *) usage ;;
  esac
  shift
done

started=$(date +%s)
step() {
  printf '[%3d s] %s\n' $(($(date +%s) - started)) "$*"
}

say() {
  printf '        %s\n' "$*"
}

# tell FILE: what softlbr said; all files are in $work
tell() {
  sed "s|$work/||g; s/^/        /" "$1"
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
[ -z "${SOFTLBR:-}" ] || SOFTLBR=$(realpath "$SOFTLBR")
# Names in lists of options and of builds have no path, which may have spaces.
cd "$work"

step "installing what is needed (nothing is changed if it is there)"
"$root/scripts/install-deps.sh" --build --demo
if [ -n "${SOFTLBR:-}" ]; then
  softlbr=$SOFTLBR
else
  step "building softlbr"
  . "$root/scripts/alive.sh"
  alive demo logged build "$root/scripts/build.sh"
  softlbr=$root/build/softlbr
fi

gcc=gcc
gcc_major=$($gcc -dumpversion | sed 's/\..*//')
clang=$("$root/scripts/newest.sh" clang) || clang=
bolt=$("$root/scripts/newest.sh" llvm-bolt) || bolt=

if [ -z "$embedded" ]; then
  step "fetching sqlite3's source package and making its amalgamation"
  . "$root/scripts/demo/sqlite.sh"
  program_prepare || {
    say "sqlite3's source can't be had here (see above): taking the bundled program"
    embedded=yes
  }
fi
if [ -n "$embedded" ]; then
  . "$root/scripts/demo/interpreter.sh"
  program_prepare
fi
say "program: $program_title; $program_minutes from here on two processors, half of it measuring"

# What -fauto-profile switches on besides reading a profile (gcc 12), as far as it works without
# one: the honest control, so that no gain is claimed that the flags alone would give.
control_flags="-fprofile-correction -funroll-loops -fpeel-loops -ftracer -finline-functions -fipa-cp
  -fipa-cp-clone -fipa-bit-cp -fpredictive-commoning -fsplit-loops -funswitch-loops
  -fgcse-after-reload -ftree-loop-vectorize -ftree-slp-vectorize -fversion-loops-for-strides
  -ftree-loop-distribution -ftree-loop-distribute-patterns -floop-interchange
  -floop-unroll-and-jam"
# gcc 12 divides by zero in its vectorizer when a profile has zero counts and the cost model is
# the dynamic one that -fauto-profile implies; -O2's own model avoids it. Same for the control.
cost_model=-fvect-cost-model=very-cheap
bolt_flags="-O2 -g -fno-reorder-blocks-and-partition -Wl,-q"
clang_flags="-O2 -gline-tables-only -fdebug-info-for-profiling"

# build NAME COMPILER FLAGS: one at a time per processor would be quicker, but two fit everywhere
build() {
  program_build "$2" "$3" "$work/$1" >"$work/build-$1.log" 2>&1 || {
    cat "$work/build-$1.log" >&2
    return 1
  }
}

step "building: $gcc -O2 -g; the same with -fauto-profile's flags but no profile (control)"
build gcc-o2 $gcc "-O2 -g" &
build gcc-control $gcc "-O2 -g $control_flags $cost_model" || die "the control build failed"
wait $! || die "the -O2 build failed"
if [ -n "$bolt" ]; then
  step "building: $gcc $bolt_flags (what llvm-bolt needs)"
  build bolt-input $gcc "$bolt_flags" &
  bolt_build=$!
fi
if [ -n "$clang" ]; then
  step "building: $clang $clang_flags"
  build clang-o2 $clang "$clang_flags" || die "the clang build failed"
fi
[ -z "$bolt" ] || wait $bolt_build || die "the build for llvm-bolt failed"

# record NAME: the training workload under softlbr, beside an unrecorded run whose output is compared
record() {
  step "recording $1 on the training workload"
  program_train "$work/$1" >"$work/$1.plain" &
  plain=$!
  program_train "$softlbr" record ${DEMO_RECORD_OPTIONS-} -o "$work/$1.perf.data" -- \
    "$work/$1" >"$work/$1.recorded" 2>"$work/$1.record.log" || {
    cat "$work/$1.record.log" >&2
    die "recording $1 failed"
  }
  wait $plain || die "$1 failed, unrecorded"
  cmp -s "$work/$1.plain" "$work/$1.recorded" || die "$1 printed something else while recorded"
  tell "$work/$1.record.log"
  rm -f "$work/$1.plain" "$work/$1.recorded"
}

# convert NAME FORMAT=FILE [OPTION...]
convert() {
  name=$1
  step "converting to ${2%%=*}"
  shift
  "$softlbr" convert --binary "$work/$name" --profile "$work/$name.perf.data" --to "$@" \
    >"$work/$name.convert.log" 2>&1 || {
    status=$?
    cat "$work/$name.convert.log" >&2
    # A poor profile (status 5) is written all the same: use it and say so.
    [ $status = 5 ] || die "converting $name failed with status $status"
    say "softlbr calls this profile poor; going on with it"
  }
  grep -v '^next: ' "$work/$name.convert.log" >"$work/$name.convert.said"
  tell "$work/$name.convert.said"
}

# optimize STALE_PERCENT: llvm-bolt, refusing a profile with more misfits than that
optimize() {
  $bolt "$work/bolt-input" -data "$work/bolt.fdata" -o "$work/gcc-bolt" -reorder-blocks=ext-tsp \
    -reorder-functions=hfsort -split-functions -split-all-cold -dyno-stats \
    -stale-threshold="$1" >"$work/bolt.log" 2>&1
}

record gcc-o2
convert gcc-o2 "gcov=$work/gcc.gcov" --gcc="$gcc_major"
step "rebuilding: $gcc -O2 -fauto-profile $cost_model"
build gcc-autofdo $gcc "-O2 -g -fauto-profile=gcc.gcov $cost_model -Wno-overflow" ||
  die "$gcc did not accept the profile"

gcc_variants="gcc-O2=./gcc-o2 gcc-O2-control=./gcc-control gcc-O2-autofdo=./gcc-autofdo"

if [ -n "$bolt" ]; then
  record bolt-input
  convert bolt-input "fdata=$work/bolt.fdata"
  step "optimizing: $bolt"
  optimize 0 || {
    say "llvm-bolt refuses the profile: $(grep -m 1 'invalid' "$work/bolt.log")"
    say "again, without the functions that it does not fit (the verdict counts it as missed)"
    optimize 100 || die "llvm-bolt failed: $(tail -n 1 "$work/bolt.log")"
  }
  gcc_variants="$gcc_variants gcc-O2-bolt=./gcc-bolt"
else
  say "no llvm-bolt here: its row is left out"
fi

if [ -n "$clang" ]; then
  record clang-o2
  convert clang-o2 "llvm-text=$work/clang.profdata"
  step "rebuilding: $clang -O2 -fprofile-sample-use -mllvm -sample-profile-use-profi"
  build clang-autofdo $clang "$clang_flags -fprofile-sample-use=clang.profdata
    -mllvm -sample-profile-use-profi" ||
    die "$clang did not accept the profile"
else
  say "no clang here: its rows are left out"
fi

# measure NAME VARIANT...
measure() {
  name=$1
  shift
  python3 "$root/benchmarks/variants.py" --rounds "$rounds" --json "$work/$name.json" \
    --count-input "$count_input" --count-arguments "$count_arguments" \
    --time-input "$time_input" --time-arguments "$time_arguments" "$@"
}

step "measuring on the evaluation workload: instructions (callgrind), CPU time ($rounds rounds); this takes longest"
echo
measure gcc $gcc_variants
echo
if [ -n "$clang" ]; then
  measure clang "$clang-O2=./clang-o2" "$clang-O2-autofdo=./clang-autofdo"
  echo
fi
status=0
python3 "$root/scripts/demo/verdict.py" "$work" ${embedded:+--embedded} || status=$?
step "done${keep:+; everything is in $work}"
[ -z "$check" ] || exit $status
