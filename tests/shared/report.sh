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
