#!/bin/bash
# SPDX-License-Identifier: MIT
# record --times: loads that come from memory take longer than those from a cache, by the instruction that loads; the
# program's time for a path is its own clock's; and all forms of the report have the same.
# usage: times.sh SOFTLBR
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs python3 "${CC:=gcc}"
needs_recording
[ "$(uname -m)" = x86_64 ] || skip "loads are timed on x86-64 alone"
cd "$work"
$CC -O2 -g -o chase "$here/chase.c"

# Of 128 MiB, and of 64 KiB, which a cache holds.
latency() {
  "$softlbr" report --view=latency --group=symbol --json $1.data >$1.json 2>err || fail "$(cat err)"
}
# timed FILE LEAST: so many paths of far were timed
timed() {
  python3 -c "
import json, sys
sys.exit(sum(row['timed'] for row in json.load(open('$1'))['path_times']['rows'] if row['begin'] == 'far') < $2)"
}
# traces are dear here, so how many there are is the machine's business: 13 +- 2 of 400 rounds, of which 12 are timed
for rounds in 400 1600 6400; do
  "$softlbr" record --times=100 -c 10ms -n 2048 --timer-correction=probe -o far.data ./chase $rounds 2048 >far.ps 2>err || fail "$(cat err)"
  grep -q ' timed loads -> far.data' err || fail "does not say how many: $(cat err)"
  latency far
  ! timed far.json 5 || break
done
"$softlbr" record -q --times -c 10ms -n 2048 --timer-correction=probe -o near.data ./chase 4000 1 >near.ps 2>err || fail "$(cat err)"
latency near
"$softlbr" report --view=latency --group=symbol --csv far.data >csv 2>err || fail "$(cat err)"
"$softlbr" report --view=latency --group=symbol far.data >text 2>err || fail "$(cat err)"
"$softlbr" report --view=latency --group=symbol --html=page.html far.data >out 2>err || fail "$(cat err)"
python3 - <<'END'
import csv, json, re
far, near = (json.load(open(name + ".json")) for name in ("far", "near"))

def row(report, table, name, function):
    found = [row for row in report[table]["rows"] if row[name] == function]
    assert len(found) == 1, (table, report[table]["rows"])
    return found[0]

loads = row(far, "loads", "load", "far"), row(near, "loads", "load", "far")
assert loads[0]["median"] > 2 * loads[1]["median"] > 0, loads
assert loads[0]["loads" if "loads" in loads[0] else "count"] > 1000, loads # 29,000 +- 2,000
# The program's own clock counts a step of far; a trace there has 2,048 of them.
truth = int(open("far.ps").read()) * 2048 / 1000
path = row(far, "path_times", "begin", "far")
assert path["timed"] >= 5, path
assert truth / 2 < path["timed_ns"] < truth * 2, (truth, path)
assert abs(path["timed_ns"] / path["model_ns"] - path["timed_by_model"]) < 0.5 * path["timed_by_model"], path

# The same numbers in all four.
text, page = open("text").read(), open("page.html").read()
assert "measured by look-ahead" in text and "Measured by look-ahead" in page
assert "by the model and timed" in text and "by the model and timed" in page
shown = [str(loads[0][key]) for key in ("ticks", "count", "median", "p90")]
line = next(line for line in text.splitlines() if re.search(r"\bfar$", line))
assert set(shown) <= set(line.split()), (shown, line)
assert all(number in page for number in shown), shown
cells = [cell for line in csv.reader(open("csv")) for cell in line]
assert set(shown) <= set(cells), shown
END

if command -v perf >/dev/null; then
  perf script -i far.data -F event,ip,sym,addr,weight >script 2>perf.err || fail "$(cat perf.err)"
  grep -q 'softlbr:loads: .* far' script || fail "perf does not show loads: $(grep -m 3 loads script)"
else
  skip_part "perf is not installed"
fi
"$softlbr" record -q -o plain.data ./chase 300 64 >out 2>err || fail "cannot record"
"$softlbr" report --view=latency --json plain.data >plain.json 2>err || fail "$(cat err)"
grep -q -e '"loads"' -e '"path_times"' plain.json && fail "times without --times"

for options in "--times=0" "--times=5000" "--times --lookahead static" "--times --memory readv" "--times --aggregate dir" \
  "--times --outside always"; do
  # shellcheck disable=SC2086
  "$softlbr" record $options -o no.data -- true 2>err && fail "$options is not refused"
  grep -q -e --times err || fail "$options: does not say why: $(cat err)"
done
