#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh SOFTLBR: `softlbr bench breakpoints` hits every breakpoint that it sets, in both ways, also
# with no room for queued signals; its costs are those that `softlbr doctor` finds by other means.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"

"$softlbr" doctor --json >doctor.json || skip "this machine cannot record (softlbr doctor)"
"$softlbr" bench breakpoints --threads 1,2 --operations 50 --repeats 3 --json bench.json >table
cat table
python3 - <<'END' || fail "the JSON is not as documented, or hits are missing"
import json
bench, doctor = json.load(open("bench.json")), json.load(open("doctor.json"))
assert (bench["schema_version"], bench["benchmark"], bench["repeats"]) == (1, "breakpoints", 3)
rows = bench["rows"]
assert [(r["threads"], r["delivery"]) for r in rows] == [
    (n, d) for n in (1, 2) for d in ("sigtrap", "F_SETSIG")], rows
stop = doctor["breakpoints"]["stop_us"]
for r in rows:
    assert r["missed"] == 0, r
    assert r["hits"] + r["overflows"] == 3 * 50 * r["threads"], r
    assert 0 < r["set_us"] < r["set_hit_us"], r
    assert r["delivery"] != "sigtrap" or stop / 4 < r["set_hit_us"] < 4 * stop + 20, (r, stop)
END
[ "$(grep -c '^  *[12]  ' table)" = 2 ] || fail "the table has not two rows"

# Nothing fits the queue: the kernel sends SIGIO, which must not end the benchmark. (Root's own
# processes may already fill the queue of that user.)
if prlimit --sigpending=0 true; then
  prlimit --sigpending=0 "$softlbr" bench breakpoints -t 1 --operations 20 --repeats 1 --json full.json >full ||
    fail "a full signal queue ends it"
  python3 - <<'END' || fail "signals were lost in a full queue"
import json
row = json.load(open("full.json"))["rows"][1]
assert row["hits"] + row["overflows"] == 20 and row["missed"] == 0, row
print("full queue: %d signals, %d of them as SIGIO" % (row["hits"] + row["overflows"], row["overflows"]))
END
else
  skip_part "no limit of pending signals can be set: a full queue is not tried"
fi

if command -v gnuplot >/dev/null; then
  for kind in svg png; do
    "$softlbr" bench breakpoints -t 1 --operations 5 --repeats 1 --plot "a 'plot'.$kind" >/dev/null
    [ -s "a 'plot'.$kind" ] || fail "no $kind"
  done
  grep -q '<svg' "a 'plot'.svg" || fail "the svg is none"
  head -c 4 "a 'plot'.png" | grep -q PNG || fail "the png is none"
else
  skip_part "gnuplot is not installed: no plots"
fi
rc=0
mkdir tools
ln -s "$(command -v sh)" tools/sh
PATH=$work/tools "$softlbr" bench breakpoints -t 1 --operations 5 --repeats 1 --plot x.svg >table 2>err ||
  rc=$?
[ $rc = 1 ] && grep -q 'gnuplot is not installed' err || fail "no gnuplot: status $rc: $(cat err)"
[ -s table ] || fail "no gnuplot: no table"

refused() {
  rc=0
  "$softlbr" bench "$@" >/dev/null 2>&1 || rc=$?
  [ $rc = 2 ] || fail "status $rc, not 2: bench $*"
}
refused
refused coffee
refused breakpoints --threads 0
refused breakpoints --threads 1,x
refused breakpoints --threads 100000
refused breakpoints --plot plot.gif
rc=0
"$softlbr" bench breakpoints -t 1 --operations 5 --repeats 1 --json /nonexistent/x >/dev/null 2>err || rc=$?
[ $rc = 1 ] && grep -q /nonexistent/x err || fail "no place to write: status $rc"
echo PASS
