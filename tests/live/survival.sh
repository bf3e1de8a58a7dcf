#!/bin/sh
# SPDX-License-Identifier: MIT
# survival.sh [--install] [--runs N] [--table FILE] SOFTLBR [PROGRAM...]
#
# Real programs' own checks, run as they are and then N times (20) under `softlbr record` with a sample
# each millisecond: the same output and status each time, in bounded time, or it fails. With no PROGRAM:
# all in survival/. What is not installed is named and passed over; --install gets it through apt-get
# (scripts/install-deps.sh --survival). --table adds a line per program to FILE, as in
# docs/survival.md. Failing runs are kept under $SOFTLBR_SURVIVAL_KEEP, if set.
#
# A program is a file survival/NAME.sh of shell functions, called in an empty directory:
#
#	title			one line: which program, and what it does
#	needs			commands that have to be there
#	prepare			makes inputs in $input, once; status 75: not to be had here
#	run COMMAND...		runs its programs behind COMMAND; what it prints, and its status, count
#
# $period and $options override the sampling for a program's own sake.
set -eu

usage() {
  echo "usage: survival.sh [--install] [--runs N] [--table FILE] SOFTLBR [PROGRAM...]" >&2
  exit 2
}

# wait_until COMMAND...: up to 30 seconds
wait_until() {
  waited=0
  until "$@" >/dev/null 2>&1; do
    sleep 0.1
    waited=$((waited + 1))
    [ $waited -lt 300 ] || return 1
  done
}

# survival.sh --part NAME FUNCTION ARGUMENT...: one call of a program's function, for timeout(1)
if [ "${1:-}" = --part ]; then
  . "$(dirname "$0")/survival/$2.sh"
  shift 2
  "$@"
  exit
fi
. "$(dirname "$0")/../prelude.sh"
self=$here/$(basename "$0")

runs=20
table=
while [ $# -gt 0 ]; do
  case $1 in
    --install) "$root/scripts/install-deps.sh" --survival ;;
    --runs) runs=$2 && shift ;;
    --table) table=$2 && shift ;;
    -*) usage ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || usage
softlbr=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- $(cd "$here/survival" && ls -- *.sh | sed 's/\.sh$//')
needs_recording
chmod 755 "$work"
trap 'exit 130' INT TERM

# part NAME SECONDS FUNCTION ARGUMENT...: in an empty directory; out, err and status are left behind
part() {
  part_name=$1
  part_limit=$2
  shift 2
  rm -rf "$work/run"
  mkdir -p "$work/run"
  chmod 777 "$work/run"
  status=0
  begin=$(date +%s%N)
  (cd "$work/run" && exec timeout -k 10 "$part_limit" env "input=$work/$part_name" "root=$root" \
    "$self" --part "$part_name" "$@") >"$work/said" 2>"$work/err" </dev/null || status=$?
  milliseconds=$((($(date +%s%N) - begin) / 1000000))
  cat "$work/err" >>"$work/said"
  grep -v '^softlbr' "$work/said" >"$work/out" || :
}

# said EXPRESSION: the sum of the numbers that sed finds with it in what softlbr said
said() {
  sed -n "$1" "$work/said" | awk '{ n += $1 } END { print n + 0 }'
}

median() {
  sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

keep() {
  [ -n "${SOFTLBR_SURVIVAL_KEEP:-}" ] || return 0
  kept=$SOFTLBR_SURVIVAL_KEEP/$1-$(date +%H%M%S)
  mkdir -p "$kept"
  cp -r "$work/run" "$work/out" "$work/said" "$work/$1.expected" "$kept"
  echo "  kept in $kept"
}

# recorded NAME: one run; says what is wrong
recorded() {
  part "$1" $limit run "$softlbr" record -v -e task-clock -c 1ms --buffers 512 -o recording --
  if [ $status = 124 ] || [ $status = 137 ]; then
    echo "  run $run: hangs: not done after $limit s"
  elif [ $status != $expected_status ]; then
    echo "  run $run: status $status, not $expected_status"
  elif ! cmp -s "$work/out" "$work/$1.expected"; then
    echo "  run $run: other output"
  else
    same=$((same + 1))
    echo "$milliseconds" >>"$work/times"
    said 's/^softlbr: recorded.*: \([0-9]*\) samples,.*/\1/p' >>"$work/traces"
    wrong=$((wrong + $(said 's/.*; \([0-9]*\) of [0-9]* audited.*/\1/p')))
    audits=$((audits + $(said 's/.*; [0-9]* of \([0-9]*\) audited.*/\1/p')))
    return
  fi
  diff "$work/$1.expected" "$work/out" | head -n 20
  grep '^softlbr' "$work/said" | tail -n 3
  keep "$1"
}

# survives NAME: status 0 if all runs are the same, 1 if not, 75 if it can't be tried
survives() {
  missing=$(
    . "$here/survival/$1.sh"
    for command in $needs; do command -v "$command" >/dev/null || echo "$command"; done
  )
  [ -z "$missing" ] || {
    skip_part "$1: not here: $(echo $missing)"
    return 75
  }
  mkdir -p "$work/$1"
  chmod 777 "$work/$1"
  part "$1" 600 prepare
  [ $status = 0 ] || {
    [ $status != 75 ] || skip_part "$1: not to be had: $(tail -n 1 "$work/out")"
    [ $status = 75 ] || echo "$1: cannot be prepared: $(tail -n 3 "$work/out")"
    return $([ $status = 75 ] && echo 75 || echo 1)
  }
  # twice: what differs without softlbr can't be compared with it
  part "$1" 900 run env
  expected_status=$status
  cp "$work/out" "$work/$1.expected"
  part "$1" 900 run env
  [ $status = $expected_status ] && cmp "$work/out" "$work/$1.expected" || {
    echo "$1: not the same twice without softlbr: status $expected_status, $status"
    diff "$work/$1.expected" "$work/out" | head -n 10
    return 1
  }
  [ -s "$work/out" ] && [ $status = 0 ] || {
    echo "$1: fails without softlbr: status $status: $(tail -n 3 "$work/out")"
    return 1
  }
  plain=$milliseconds
  limit=$((60 + 5 * plain / 1000))
  same=0 wrong=0 audits=0
  : >"$work/times"
  : >"$work/traces"
  for run in $(seq $runs); do
    recorded "$1"
  done
  traces=$(median <"$work/traces")
  title=$(. "$here/survival/$1.sh" && title)
  echo "$1: $same of $runs the same; $plain ms alone, $(median <"$work/times") ms recorded; ${traces:-0} traces a run; $wrong of $audits audits wrong"
  [ -z "$table" ] || printf '| %s | %s | %s of %s | %s | %s | %s | %s of %s |\n' "$1" "$title" \
    $same $runs "$(seconds $plain)" "$(seconds "$(median <"$work/times")")" "${traces:-0}" \
    $wrong $audits >>"$table"
  [ $same = $runs ] && [ "${traces:-0}" -gt 0 ]
}

seconds() {
  awk "BEGIN { printf \"%.1f\", ${1:-0} / 1000 }"
}

failed= tried=
for name in "$@"; do
  [ -e "$here/survival/$name.sh" ] || usage
  status=0
  survives "$name" || status=$?
  case $status in
    0) tried=yes ;;
    75) ;;
    *) tried=yes failed="$failed $name" ;;
  esac
done
[ -n "$tried" ] || skip "none of these programs is installed: $*"
rm -f "$work/err"
[ -z "$failed" ] || fail "$failed"
echo "PASS"
