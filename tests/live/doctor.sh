#!/bin/sh
# SPDX-License-Identifier: MIT
# doctor.sh SOFTLBR: what `softlbr doctor` claims is so, judged by the kernel's own files and by
# perf(1); and it names the cause where perf_event_open is refused.
set -eu
softlbr=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAIL: $*"
  exit 1
}

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
  echo "perf is not installed: hardware events not compared"
fi

${CC:-cc} -O1 -Wall -Wextra -Werror "$here/refuse.c" -o "$work/refuse"
for way in errno kill; do
  rc=0
  "$work/refuse" $way "$softlbr" doctor >"$work/refused" || rc=$?
  [ $rc = 77 ] && {
    echo "no seccomp here: refusals not tried"
    break
  }
  [ $rc = 1 ] || fail "perf_event_open refused ($way): status $rc"
  grep -q '^bad  *sampling' "$work/refused" || fail "$way: sampling is not marked bad"
  grep -q 'seccomp filter is active' "$work/refused" || fail "$way: the filter is not named"
  grep -q 'cannot record here' "$work/refused" || fail "$way: no verdict"
  "$work/refuse" $way "$softlbr" doctor --json >"$work/refused.json" && fail "$way: status of JSON"
  [ "$(member "$work/refused.json" 'd["can_record"]')" = False ] || fail "$way: JSON says it can"
done

# Without privilege the answer may differ; it must come all the same, and be true.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  cp "$softlbr" "$work/softlbr"
  chmod 755 "$work" "$work/softlbr"
  rc=0
  setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
    "$work/softlbr" doctor --json >"$work/nobody.json" || rc=$?
  expected=$([ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] && echo $status || echo 1)
  [ $rc = "$expected" ] || fail "unprivileged: status $rc, expected $expected"
fi
"$softlbr" doctor --nonsense 2>/dev/null && fail "an unknown option was accepted"
exit 0
