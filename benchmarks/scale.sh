#!/bin/bash
# SPDX-License-Identifier: MIT
# scale.sh BUILD_DIRECTORY [FUNCTIONS]: how long `convert --smooth=mcf` takes from end to end, decoding and the
# search for blocks included, where 100,000 functions of ordinary size were hit. It may take 20 s of CPU time.
# The program is generated (scale_program.py), the recording is of random walks through it (walk.c).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
functions=${2:-100000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$here/scale_program.py" "$functions" >program.s
as -o program.o program.s
ld -o program program.o
rm program.s program.o
"$build/benchmarks/walk" program recording $((5 * functions)) 16 >walk.log
ls -l program recording | awk '{ printf "%s: %.0f MiB\n", $NF, $5 / 1048576 }'
for smooth in none mcf; do
  status=0
  /usr/bin/time -o time.$smooth -f '%U %S %M' "$build/softlbr" convert -v --threads=1 --binary program \
    --profile recording --smooth=$smooth --to preagg=out 2>log || status=$?
  [ $status = 0 ] || [ $status = 5 ] || {
    cat log
    exit 1
  }
  awk -v s=$smooth 'END { printf "--smooth=%s: %.1f s, %.0f MiB\n", s, $1 + $2, $3 / 1024 }' time.$smooth
done
sed -n '/functions to be smoothed/,/inferred to have/p' log
awk -v n="$functions" 'END { if (n <= 100000 && $1 + $2 > 20) { print "more than 20 s"; exit 1 } }' time.mcf
echo "ok"
