#!/bin/bash
# SPDX-License-Identifier: MIT
# convert.sh BUILD_DIRECTORY [ROUNDS]: how long conversions take, beside the peers', in one run.
#
# 1. A 223 MiB recording: the samples of one of the bundled interpreter, by softlbr, again and again; or, if
#    SOFTLBR_SHARED names a folder that has it, of hardware-lbr/gzip_westmere, by hardware. softlbr, llvm-profgen, create_gcov and create_llvm_prof take turns, ROUNDS
#    times (default 5); medians of wall and CPU time, the greatest resident set, and the ratio to
#    the fastest peer are printed. softlbr may take 1/20 of its time and 64 MiB.
# 2. A recording with a million distinct branches: random walks (walk.c) through a large binary:
#    BINARY in the environment, else the program of Debian's python3.11-dbg, or one of LLVM's libraries. If
#    it has debug information, the peers take turns; softlbr may take 1/10 of the fastest one's time.
#
# The peers and python3.11-dbg are installed if they are not there, unless INSTALL=no.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || {
  echo "usage: convert.sh BUILD_DIRECTORY [ROUNDS]" >&2
  exit 2
}
[ "${INSTALL:-yes}" = no ] || "$here/../scripts/install-deps.sh" --benchmark ||
  echo "convert.sh: not all peers could be installed; going on with what is there" >&2
build=$(realpath "$1")
rounds=${2:-5}
. "$here/recorded.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# run NAME COMMAND...: appends "NAME wall cpu KiB" to results, if the command writes its profile.
# softlbr's status 5 (written, but called poor) is such a case.
run() {
  local name=$1 status=0
  shift
  /usr/bin/time -o time -f '%e %U %S %M' "$@" >log 2>&1 || status=$?
  if [ $status = 0 ] || [ "$name $status" = "softlbr 5" ]; then
    awk -v n="$name" 'END { printf "%s %.2f %.2f %d\n", n, $1, $2 + $3, $4 }' time >>results
  else
    echo "$name failed: $(tail -1 log)" >>failures
  fi
}

# Medians by name, and the ratios of softlbr's to the fastest peer's.
summary() {
  python3 - results <<'END'
import collections, statistics, sys
rows = collections.defaultdict(list)
for line in open(sys.argv[1]):
    name, *figures = line.split()
    rows[name].append([float(f) for f in figures])
median = {n: [statistics.median(c) for c in zip(*r)] for n, r in rows.items()}
for n, (wall, cpu, _) in sorted(median.items(), key=lambda x: x[1][1]):
    print(f"{n:20} {wall:8.2f} s wall {cpu:8.2f} s CPU {max(x[2] for x in rows[n]) / 1024:8.1f} MiB")
peers = [v for n, v in median.items() if not n.startswith("softlbr")]
if peers and "softlbr" in median:
    for i, what in enumerate(("wall", "CPU")):
        fastest = min(p[i] for p in peers)
        print(f"fastest peer / softlbr, {what}: {fastest / max(median['softlbr'][i], 0.01):.1f}")
END
  [ ! -e failures ] || sort -u failures
  rm -f results failures
}

if kind=$(record); then
  python3 "$here/grow-recording.py" short.data long.data 223
  echo "1. $(($(stat -c %s long.data) >> 20)) MiB of records, $kind"
  for ((i = 0; i < rounds; i++)); do
    run softlbr "$build/softlbr" convert -b test.binary -p long.data --to gcov=s.gcov \
      --to llvm-text=s.prof
    for v in 19 16; do
      command -v llvm-profgen-$v >/dev/null &&
        run llvm-profgen-$v llvm-profgen-$v --binary=test.binary --perfdata=long.data --output=p.prof
    done
    command -v create_gcov >/dev/null &&
      run create_gcov create_gcov --binary=test.binary --profile=long.data --gcov=c.gcov \
        --gcov_version=1
    command -v create_llvm_prof >/dev/null &&
      run create_llvm_prof create_llvm_prof --binary=test.binary --profile=long.data --out=c.prof \
        --format=text
  done
  summary
  rm long.data short.data
else
  echo "SKIP: this machine cannot record: $(tail -1 log)"
fi

# A binary with debug information can be read by all; without, only branches can be compared.
binary=${BINARY:-$(ls /usr/bin/python3*d /usr/lib/llvm-*/lib/libclang-cpp.so.* 2>/dev/null | head -1)}
if [ -n "$binary" ] && cmake --build "$build" --target walk >/dev/null; then
  cp "$binary" large
  "$build/benchmarks/walk" "$PWD/large" wide.data "${SAMPLES:-600000}"
  "$build/softlbr" convert -b large -p wide.data --to preagg=s.out 2>/dev/null
  echo "2. $(grep -c '^B' s.out) distinct branches of $binary" \
    "($(($(stat -L -c %s "$binary") >> 20)) MiB), $(($(stat -c %s wide.data) >> 20)) MiB of records"
  debug=$(readelf -SW large | grep -c '\.debug_info' || true)
  to=preagg
  [ "$debug" = 0 ] || to=llvm-text
  for ((i = 0; i < rounds; i++)); do
    run softlbr "$build/softlbr" convert -b large -p wide.data --to "${TO:-$to}=s.out"
    [ "$debug" != 0 ] || continue
    command -v llvm-profgen-19 >/dev/null &&
      run llvm-profgen-19 llvm-profgen-19 --binary=large --perfdata=wide.data --output=p.prof
    command -v create_gcov >/dev/null &&
      run create_gcov create_gcov --binary=large --profile=wide.data --gcov=c.gcov --gcov_version=1
    command -v create_llvm_prof >/dev/null &&
      run create_llvm_prof create_llvm_prof --binary=large --profile=wide.data --out=c.prof \
        --format=text
  done
  summary
fi
