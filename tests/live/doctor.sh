#!/bin/sh
# SPDX-License-Identifier: MIT
# doctor.sh SOFTLBR: what `softlbr doctor` claims is so, judged by the kernel's own files and by
# perf(1); and it names the cause where perf_event_open is refused.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"

# member FILE EXPRESSION: a value of the JSON in FILE
member() {
  python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($2)" "$1"
}

status=0
"$softlbr" doctor >"$work/text" || status=$?
json_status=0
"$softlbr" doctor --json >"$work/json" || json_status=$?
cat "$work/text"
[ $status = $json_status ] || fail "text says $status, JSON $json_status"
[ "$(member "$work/json" 'd["can_record"]')" = "$([ $status = 0 ] && echo True || echo False)" ] ||
  fail "status $status does not fit can_record"
[ "$(member "$work/json" 'd["kernel"]')" = "$(uname -r)" ] || fail "wrong kernel"
grep -q "perf_event_paranoid  *$(cat /proc/sys/kernel/perf_event_paranoid)" "$work/text" ||
  fail "wrong perf_event_paranoid"

if [ $status = 0 ]; then
  [ "$(member "$work/json" 'd["breakpoints"]["hits"] == d["breakpoints"]["calls"] > 0')" = True ] ||
    fail "it can record, but the breakpoint was not hit"
  [ "$(member "$work/json" '0.1 < d["breakpoints"]["stop_us"] < 10000')" = True ] ||
    fail "implausible cost of a stop"
fi

# perf as the judge of the hardware events and of the branch stack.
if command -v perf >/dev/null; then
  for event in branches instructions cycles; do
    perf stat -x, -e $event:u true 2>"$work/stat" >/dev/null || true
    there=True
    grep -q 'not supported\|not counted' "$work/stat" && there=False
    claimed=$(member "$work/json" "[e['usable'] for e in d['events'] if e['name'] == '$event'][0]")
    [ "$claimed" = $there ] || fail "$event: doctor says $claimed, perf $there"
  done
  stack=True
  perf record -q -b -e cycles:u -o "$work/perf.data" true >/dev/null 2>&1 || stack=False
  [ "$(member "$work/json" 'd["lbr"]')" = $stack ] || fail "LBR: perf says $stack"
else
  skip_part "perf is not installed: hardware events not compared"
fi

has_breakpoints || {
  skip_part "no breakpoint is ever hit here: refusals not tried"
  exit 0
}

# ---- what it predicts comes true: record, in the same surroundings -------------------------------

${CC:-cc} -O1 -Wall -Wextra -Werror "$here/refuse.c" -o "$work/refuse"
rc=0
"$work/refuse" errno true || rc=$?
[ $rc = 0 ] || {
  skip_part "no seccomp here: refusals not tried"
  exit 0
}
${CC:-cc} -O2 -g -pthread "$here/threads.c" -o "$work/threads"
cp "$softlbr" "$(dirname "$softlbr")/softlbr-full" "$work"
collector=$(dirname "$softlbr")/libsoftlbr-collector.so.0
[ ! -e "$collector" ] || cp "$collector" "$work" # a sanitizer's build has none
chmod 777 "$work"
cd "$work"
export ASAN_OPTIONS=detect_leaks=0 # it traces itself for that, which is refused here
./threads >expected || :

# predicts WAY PATTERN SURROUNDINGS...: doctor says WAY and PATTERN there, and record goes that way
predicts() {
  way=$1
  pattern=$2
  shift 2
  echo "# $way: $*"
  rc=0
  "$@" ./softlbr doctor >refused || rc=$?
  [ $rc = $([ $way = none ] && echo 1 || echo 0) ] || fail "$*: doctor's status $rc: $(cat refused)"
  [ $way = none ] || ! grep '^bad' refused || fail "$*: recording works, and something is called bad"
  [ $way != none ] || grep -q '^bad' refused || fail "$*: nothing is called bad"
  grep -q "$pattern" refused || fail "$*: doctor does not say '$pattern': $(cat refused)"
  "$@" ./softlbr doctor --json >refused.json || [ $way = none ] || fail "$*: status of JSON"
  [ "$(member refused.json 'd["way"]')" = $way ] || fail "$*: JSON says $(member refused.json 'd["way"]')"
  [ "$(member refused.json 'd["can_record"]')" = $([ $way = none ] && echo False || echo True) ] ||
    fail "$*: JSON's can_record"
  [ -e libsoftlbr-collector.so.0 ] || return 0
  rm -f data
  rc=0
  "$@" ./softlbr record -c 500us --timer-correction=off -o data -- ./threads >got 2>err || rc=$?
  case $way in
    none)
      [ $rc = 125 ] && grep -q 'refuses' err || fail "$*: record's status $rc: $(cat err)"
      [ ! -s got ] || fail "$*: the program ran"
      return
      ;;
    ptrace) grep -q 'recording from outside' err || fail "$*: not from outside: $(cat err)" ;;
    *) ! grep -q 'recording from outside' err || fail "$*: from outside: $(cat err)" ;;
  esac
  [ $rc = 42 ] && cmp got expected || fail "$*: the program's status $rc: $(cat err)"
  [ "$(sed -n 's/^softlbr: .*: \([0-9]*\) samples*, .*/\1/p' err)" -gt 10 ] || fail "$*: few samples: $(cat err)" # 410 +- 20
}

inside=$([ $status = 0 ] && member "$work/json" 'd["way"]' || echo none)
outside=$(member "$work/json" 'd["ptrace"]')
[ "$outside" = True ] && outside=ptrace || outside=none
predicts "$inside" 'softlbr can' env
predicts "$outside" 'seccomp filter is active' ./refuse errno
predicts "$outside" 'ends the caller with signal' ./refuse kill
predicts "$outside" 'seccomp filter is active' ./refuse container
predicts none 'refused: Operation not permitted' ./refuse ptrace ./refuse errno
if [ "$inside" = in-process ]; then
  predicts in-process 'record -p and --ptrace need it' ./refuse ptrace
  if ./refuse sigtrap true; then
    predicts in-process 'file descriptors do (F_SETSIG), at twice the cost' ./refuse sigtrap
  else
    skip_part "no seccomp with a supervisor here"
  fi
fi

# Without privilege the answer may differ; it must come all the same, and be true.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all"
  paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
  predicts "$([ "$paranoid" -le 2 ] && echo "$inside" || echo "$outside")" "perf_event_paranoid  *$paranoid\$" \
    $nobody
  predicts "$([ "$paranoid" -le 2 ] && echo "$inside" || echo "$outside")" "perf_event_paranoid  *$paranoid\$" \
    setpriv --bounding-set=-perfmon,-sys_admin
  predicts "$outside" 'seccomp filter is active' $nobody ./refuse container
  # Debian's and Ubuntu's kernels have a 3, which refuses all without CAP_PERFMON by EACCES
  echo 3 >paranoid
  if unshare -m true 2>/dev/null; then
    predicts "$outside" 'perf_event_paranoid is 3: as root' unshare -m sh -c \
      'mount --bind paranoid /proc/sys/kernel/perf_event_paranoid && exec "$0" "$@"' $nobody ./refuse debian
    for command in doctor "record -o data -- ./threads" "record -o data -p $$"; do
      rc=0
      # shellcheck disable=SC2086
      unshare -m sh -c 'mount -t tmpfs none /proc && exec ./softlbr "$@"' sh $command >got 2>err || rc=$?
      case $rc in 1 | 125) ;; *) fail "$command without /proc: status $rc" ;; esac
      grep -q 'is /proc mounted' err || fail "$command without /proc"
    done
  else
    skip_part "no mount namespace here: perf_event_paranoid of 3 and no /proc not tried"
  fi
else
  skip_part "not root, or no setpriv: less privilege not tried"
fi
"$softlbr" doctor --nonsense 2>/dev/null && fail "an unknown option was accepted"
exit 0
