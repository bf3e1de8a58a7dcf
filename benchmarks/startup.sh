#!/bin/bash
# SPDX-License-Identifier: MIT
# startup.sh SOFTLBR [ROUNDS]: what recording adds to a program that lives for a millisecond, in ms.
#
# 1. Of a program's own time, from its start to main and to its end, with the collector and without
#    in turns: medians of ROUNDS (default 50). What thousands of processes of a build or a test pay.
# 2. Of `softlbr record -- true` beside `true`: the recorder's own time and the program's.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
softlbr=$(realpath "$1")
rounds=${2:-50}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
${CC:-gcc} -O2 -o startup "$here/startup.c"
"$softlbr" record -o inside.data -- ./startup inside "$rounds" 2>log || { cat log >&2; exit 1; }
./startup whole "$rounds" "$softlbr"
