#!/bin/sh
# SPDX-License-Identifier: MIT
# survival.sh [--install] [--runs N] [--group G,G] [--inside|--outside|--plain] [--table FILE] SOFTLBR [PROGRAM...]
#
# Real programs' own checks and small hostile programs, run as they are and then under `softlbr record`:
# the same output and status each time, in bounded time, or it fails. N runs (20) from inside and N from
# outside (--ptrace), in turn with default options, a sample each millisecond and each 250 us; --plain
# runs them twice without softlbr only. With no PROGRAM: all in survival/, or those of the groups
# (servers, desktops, hostile). What is not installed is named and passed over; --install gets it through
# apt-get (scripts/install-deps.sh --survival). --table adds a row per program to FILE
# (Markdown). Failing runs are kept under $SOFTLBR_SURVIVAL_KEEP, if set.
#
# A program is a file survival/NAME.sh of shell functions, called in an empty directory:
#
#	group			servers, desktops or hostile
#	title			one line: which program, and what it does
#	needs			commands (or paths) that have to be there
#	prepare			makes inputs in $input, once; status 75: not to be had here
#	run COMMAND...		runs its programs behind COMMAND; what it prints, and its status, count
#
# Where it is not recorded, $refused_inside or $refused_outside has what softlbr says instead; the result
# is the same then, too. $options are more options of record. What a run leaves behind is ended.
set -eu

usage() {
  echo "usage: survival.sh [--install] [--runs N] [--group G,G] [--inside|--outside|--plain] [--table FILE]" \
    "SOFTLBR [PROGRAM...]" >&2
  exit 2
}

# wait_until COMMAND...: up to 60 seconds
wait_until() {
  waited=0
  until "$@" >/dev/null 2>&1; do
    sleep 0.1
    waited=$((waited + 1))
    [ $waited -lt 600 ] || return 1
  done
}

# Is somebody at the socket of that path? It is there before that.
listens() {
  python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$1"
}

# A port that nobody has now, for TCP and UDP. Not one that the kernel gives to clients: a question to the port that
# it was sent from is its own answer.
free_port() {
  python3 - <<'END'
import random, socket
with open("/proc/sys/net/ipv4/ip_local_port_range") as f:
    lowest = int(f.read().split()[0])
while True:
    port = random.randrange(min(10000, lowest - 1000), lowest)
    try:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            with socket.socket(socket.AF_INET, kind) as s:
                s.bind(("127.0.0.1", port))
        break
    except OSError:
        pass
print(port)
END
}

# survival.sh --part NAME FUNCTION ARGUMENT...: one call of a program's function
if [ "${1:-}" = --part ]; then
  here=$(cd "$(dirname "$0")" && pwd)
  . "$here/survival/$2.sh"
  shift 2
  "$@"
  exit
fi
. "$(dirname "$0")/../prelude.sh"
self=$here/$(basename "$0")

runs=20
table=
groups=servers,desktops,hostile
sides="inside outside"
while [ $# -gt 0 ]; do
  case $1 in
    --install) "$root/scripts/install-deps.sh" --survival ;;
    --runs) runs=$2 && shift ;;
    --group) groups=$2 && shift ;;
    --table) table=$(realpath "$2") && shift ;;
    --inside | --outside) sides=${1#--} ;;
    --plain) sides= ;;
    -*) usage ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || usage
softlbr=$(realpath "$1")
shift

group_of() {
  (. "$here/survival/$1.sh" && echo "$group")
}

# All of $groups, in their order.
all_programs() {
  for group in $(echo "$groups" | tr , ' '); do
    (cd "$here/survival" && grep -l "^group=$group\$" -- *.sh | sed 's/\.sh$//')
  done
}
[ $# -gt 0 ] || set -- $(all_programs)
[ -z "$sides" ] || needs_recording
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
  (cd "$work/run" && exec "$here/survival/reap.py" "$part_limit" env "input=$work/$part_name" "root=$root" \
    "$self" --part "$part_name" "$@") >"$work/said" 2>"$work/err" </dev/null || status=$?
  milliseconds=$((($(date +%s%N) - begin) / 1000000))
  cat "$work/err" >>"$work/said"
  # of servers, whose messages go to files of their own
  grep -Ihs '^softlbr' "$work"/run/* >>"$work/said" || :
  # the shell that waits for a server it has ended may or may not say so
  grep -v '^softlbr\|^Terminated *$' "$work/said" >"$work/out" || :
}

# said EXPRESSION: the sum of the numbers that sed finds with it in what softlbr said
said() {
  sed -n "$1" "$work/said" | awk '{ n += $1 } END { print n + 0 }'
}

keep() {
  [ -n "${SOFTLBR_SURVIVAL_KEEP:-}" ] || return 0
  kept=$SOFTLBR_SURVIVAL_KEEP/$1-$(date +%H%M%S)
  mkdir -p "$kept"
  cp -r "$work/run" "$work/out" "$work/said" "$work/$1.expected" "$kept"
  echo "  kept in $kept"
}

# The options of run N from SIDE: the periods in turn.
options_of() {
  case $1 in
    outside) printf '%s ' --ptrace ;;
  esac
  case $(($2 % 3)) in
    0) echo -e task-clock -c 1ms --timer-correction=off ;;
    1) echo -e task-clock -c 250us --timer-correction=off ;;
    2) ;;
  esac
}

# recorded NAME SIDE RUN: says what is wrong; status 0: the same
recorded() {
  how=$(options_of "$2" "$3")
  part "$1" $limit run "$softlbr" record -v $how $options -o recording --
  traces=$((traces + $(said 's/^softlbr: recorded.*: \([0-9]*\) samples,.*/\1/p')))
  wrong=$((wrong + $(said 's/.*; \([0-9]*\) of [0-9]* audited.*/\1/p')))
  audits=$((audits + $(said 's/.*; [0-9]* of \([0-9]*\) audited.*/\1/p')))
  if [ $status = 124 ]; then
    echo "  $2, run $3: hangs: not done after $limit s ($how)"
  elif [ $status != $expected_status ]; then
    echo "  $2, run $3: status $status, not $expected_status ($how)"
  elif ! cmp -s "$work/out" "$work/$1.expected"; then
    echo "  $2, run $3: other output ($how)"
  elif [ -n "$refused" ] && ! grep -q "^softlbr.*$refused" "$work/said"; then
    echo "  $2, run $3: softlbr does not say '$refused' ($how)"
  else
    return 0
  fi
  diff "$work/$1.expected" "$work/out" | head -n 20
  grep '^softlbr' "$work/said" | tail -n 3
  keep "$1"
  return 1
}

# side NAME SIDE: all runs from inside or outside; $cell is what the table says
side() {
  same=0
  refused=$(. "$here/survival/$1.sh" && eval "echo \"\${refused_$2:-}\"")
  before=$traces
  for run in $(seq "$runs"); do
    ! recorded "$1" "$2" "$run" || same=$((same + 1))
  done
  cell="$same of $runs"
  [ -z "$refused" ] || cell="$cell: $refused"
  [ $same = "$runs" ] || return 1
  [ -n "$refused" ] || [ $traces -gt $before ] || {
    echo "  $2: no traces"
    return 1
  }
}

# plain NAME: twice, since what differs without softlbr can't be compared with it
plain() {
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
  limit=$((60 + 5 * milliseconds / 1000))
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
  plain "$1" || return
  plain_ms=$milliseconds traces=0 wrong=0 audits=0 cells= failed_here=
  options=$(. "$here/survival/$1.sh" && echo "${options:-}")
  for s in $sides; do
    side "$1" "$s" || failed_here=yes
    cells="$cells$s $cell; "
  done
  echo "$1: ${cells}$plain_ms ms alone; $traces traces; $wrong of $audits audits wrong"
  [ -z "$table" ] || table_line "$1"
  [ -z "$failed_here" ]
}

table_line() {
  title=$(. "$here/survival/$1.sh" && title)
  each=$(echo "$cells" | sed 's/inside //;s/outside //;s/; $//;s/; / | /')
  echo "| $1 | $title | $each | $traces | $wrong of $audits |" >>"$table"
}

failed= tried= last_group=
for name in "$@"; do
  [ -e "$here/survival/$name.sh" ] || usage
  group=$(group_of "$name")
  [ -z "$table" ] || [ "$group" = "$last_group" ] || echo "| **$group** | | | | | |" >>"$table"
  last_group=$group
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
