#!/bin/sh
# SPDX-License-Identifier: MIT
# breakpoint_cost.sh SOFTLBR BUILD_DIRECTORY: benchmarks/breakpoints hits every breakpoint that it sets, in both ways,
# also with no room for queued signals; its costs are those that `softlbr doctor` finds by other means.
set -eu
softlbr=$1 breakpoints=$2/benchmarks/breakpoints
. "$(dirname "$0")/../prelude.sh"
cd "$work"

"$softlbr" doctor --json >doctor.json || skip "this machine cannot record (softlbr doctor)"
"$breakpoints" --threads 1,2 --operations 50 --repeats 3 --json cost.json >table
cat table
python3 - <<'END' || fail "the JSON is not as documented, or hits are missing"
import json
cost, doctor = json.load(open("cost.json")), json.load(open("doctor.json"))
assert (cost["schema_version"], cost["benchmark"], cost["repeats"]) == (1, "breakpoints", 3)
rows = cost["rows"]
assert [(r["threads"], r["delivery"]) for r in rows] == [
    (n, d) for n in (1, 2) for d in ("sigtrap", "F_SETSIG")], rows
stop = doctor["breakpoints"]["stop_us"]
for r in rows:
    assert r["missed"] == 0, r
    assert r["hits"] == 3 * 50 * r["threads"], r
    assert 0 < r["set_us"] < r["set_hit_us"], r
    assert r["delivery"] != "sigtrap" or stop / 4 < r["set_hit_us"] < 4 * stop + 20, (r, stop)
END
[ "$(grep -c '^  *[12]  ' table)" = 2 ] || fail "the table has not two rows"

# The queue of real-time signals is full. (Root's own processes may already fill the queue of that user.)
if prlimit --sigpending=0 true; then
  prlimit --sigpending=0 "$breakpoints" -t 1 --operations 20 --repeats 1 --json full.json >full ||
    fail "a full signal queue ends it"
  python3 - <<'END' || fail "signals were lost in a full queue"
import json
row = json.load(open("full.json"))["rows"][1]
assert row["hits"] == 20 and row["missed"] == 0, row
END
else
  skip_part "no limit of pending signals can be set: a full queue is not tried"
fi

refused() {
  rc=0
  "$breakpoints" "$@" >/dev/null 2>&1 || rc=$?
  [ $rc = 2 ] || fail "status $rc, not 2: breakpoints $*"
}
refused coffee
refused --threads 0
refused --threads 1,x
refused --threads 100000
rc=0
"$breakpoints" -t 1 --operations 5 --repeats 1 --json /nonexistent/x >/dev/null 2>err || rc=$?
[ $rc = 1 ] && grep -q /nonexistent/x err || fail "no place to write: status $rc"
echo PASS
