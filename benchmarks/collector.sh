#!/bin/bash
# SPDX-License-Identifier: MIT
# collector.sh SOFTLBR [ROUNDS]: what recording costs, and where the time goes.
#
# 1. collector.py: look-ahead against the paper's algorithm in one interleaved run, per trace and per
#    taken branch, and the distance to the floor, the cost of an empty sample (ROUNDS, default 5).
# 2. breakdown.py: application, sampling, evaluation, decoding and breakpoints of both algorithms.
# Run it on an idle machine. About 2 minutes a round.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n '3,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
python3 "$here/collector.py" "$1" --rounds "${2:-5}"
python3 "$here/breakdown.py" "$1" --rounds 1
