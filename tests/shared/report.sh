#!/bin/bash
# SPDX-License-Identifier: MIT
# softlbr report of hardware's recordings, against sums of their entries made by perf script's text.
# usage: report.sh SOFTLBR
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
data=${SOFTLBR_SHARED:-}/data
[ -r "$data/hardware-lbr/gzip_westmere/test.lbr" ] || skip "SOFTLBR_SHARED names no folder with $data"
cd "$work"

# gzip on Westmere: figures counted from its entries by hand.
"$softlbr" report --view=misprediction --json --binary "$data/hardware-lbr/gzip_westmere/test.binary" \
  "$data/hardware-lbr/gzip_westmere/test.lbr" >json
python3 - <<'END'
import json
report = json.load(open("json"))
assert (report["mispredicted"], report["predictions_told"]) == (9319, 147712), report
first = report["mispredictions"]["rows"][0]
assert first["branch"] == "longest_match+0xb1", first
assert (first["mispredicted"], first["taken"]) == (1789, 18021), first
assert round(first["rate"], 3) == 0.099
END

# A loop with a condition that is hard to predict: cycles counted from the text by hand.
"$softlbr" report --view=latency --json --binary "$data/profgen/cmov_3.perfbin" "$data/profgen/cmov_3.perfscript" >json
python3 - "$data/profgen/cmov_3.perfscript" <<'END'
import collections, json, re, statistics, sys
blocks, loops = collections.defaultdict(list), []
for line in open(sys.argv[1]):
    entries = [(int(f, 16), int(t, 16), flag, int(cycles))
               for f, t, flag, cycles in re.findall(r"0x(\w+)/0x(\w+)/([MP])/-/-/(\d+)", line)]
    for newer, older in zip(entries, entries[1:]):
        blocks[older[1], newer[0], older[2]].append(newer[3])
    for i, newest in enumerate(entries):
        again = [j for j in range(i + 1, len(entries)) if entries[j][:2] == newest[:2]]
        if newest[1] < newest[0] and again:
            loops.append(sum(cycles for *_, cycles in entries[i:again[0]]))
report = json.load(open("json"))
rows = {r["begin"] + " " + r["end"]: r for r in report["latencies"]["rows"]}
base = 0x4012f0 - 0x10
assert len(rows) == len({key[:2] for key in blocks})
for (begin, end, flag), cycles in blocks.items():
    row = rows[f"sel_arr+{begin - base:#x} sel_arr+{end - base:#x}"]
    half = "predicted" if flag == "P" else "mispredicted"
    assert row[half] == len(cycles), (row, flag)
    assert row[half + "_median"] == statistics.median_low(cycles), (row, flag)
hard = rows["sel_arr+0x1f sel_arr+0x30"]
assert (hard["predicted"], hard["predicted_median"]) == (242, 1), hard
assert (hard["mispredicted"], hard["mispredicted_median"], hard["penalty"]) == (171, 22, 21), hard
assert hard["peaks"] == "1, 22"
(loop,) = report["iterations"]["rows"]
assert (loop["count"], loop["median"]) == (len(loops), statistics.median_low(loops)), loop
assert abs(loop["mean"] - statistics.mean(loops)) < 0.001
END
