#!/bin/bash
# SPDX-License-Identifier: MIT
# ip_only.sh SOFTLBR SAMPLER: edge overlap with exact counts, in percent, of what `convert --ip-samples` makes
# of sampled addresses, on programs of the open suite. The samples are made of an exact instruction
# stream by the model in ip_model.txt. The table that was measured is in ip_only.txt; the floors are
# enforced.
#   static   block counts, and branches by heuristics alone: the paper's first bar
#   flat     minimum-cost flow as in the literature, of one event (instructions): the second bar
#   flow     the same with rising costs
#   events   with rising costs, and with cycles and misses of the TLB, the cache and the predictor
# SUITE_ROOT is where the suite's sources, builds and inputs are kept (spec-harness/run --root), or will
# be; IP_SAMPLES where samples are kept. Tracing takes a minute or two per program.
set -euo pipefail
softlbr=$1 sampler=$2
. "$(dirname "$0")/../prelude.sh"
recipe=$root/spec-harness/programs/recipe.sh
export ROOT=${SUITE_ROOT:-$work/root} CC=${CC:-gcc} CXX=${CXX:-g++} CFLAGS="-O2 -g" CXXFLAGS="-O2 -g" LDFLAGS=
samples=${IP_SAMPLES:-$work/samples}
programs=${PROGRAMS:-lua sqlite3 mcf bzip2 hmmer astar glpk xsltproc gnugo xz}
needs valgrind

# The first execution of the program alone is traced.
cat >"$work/wrapper" <<'END'
#!/bin/bash
if [ -e "$IP_DIRECTORY/traced" ]; then exec "$@"; fi
: >"$IP_DIRECTORY/traced"
valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$@" <&0 \
  9> >("$IP_SAMPLER" "$IP_MODEL" "$1" "$IP_DIRECTORY/samples" "$IP_DIRECTORY/exact"
  : >"$IP_DIRECTORY/finished") &
pid=$!
while kill -0 $pid 2>/dev/null && [ ! -e "$IP_DIRECTORY/finished" ]; do
  sleep 0.2
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
END
chmod +x "$work/wrapper"

# trace PROGRAM: its build, samples and exact counts in $samples/PROGRAM
trace() {
  local d=$samples/$1
  mkdir -p "$d" "$work/run.$1"
  if [ ! -x "$ROOT/build/gcc/$1/$1" ]; then
    for phase in fetch build inputs; do
      BUILD=$ROOT/build/gcc/$1 sh "$recipe" "$1" $phase >>"$d/log" 2>&1 || return 1
    done
  fi
  cp "$ROOT/build/gcc/$1/$1" "$d/$1.bin"
  rm -f "$d/traced" "$d/finished"
  # it ends when the sampler has seen enough
  (cd "$work/run.$1" && IP_DIRECTORY=$d IP_SAMPLER=$sampler IP_MODEL=$here/ip_model.txt \
    BINARY=$d/$1.bin WRAPPER=$work/wrapper sh "$recipe" "$1" run short) >>"$d/log" 2>&1 || true
  for _ in $(seq 50); do
    [ -e "$d/finished" ] && break
    sleep 0.2
  done
  [ -s "$d/exact" ]
}

# score PROGRAM OPTION...
score() {
  local d=$samples/$1
  shift
  "$softlbr" convert --ip-samples --binary "$d/$program.bin" --profile "$d/samples" --to preagg="$work/out" "$@" \
    2>"$work/err" || [ $? = 5 ] || {
    cat "$work/err" >&2
    exit 1
  }
  "$softlbr" diff "$work/out" "$d/exact" --binary "$d/$program.bin" | awk '$1 == "edge" { print $2 + 0 }'
}

for program in $programs; do
  [ -s "$samples/$program/exact" ] || trace "$program" ||
    skip "$program cannot be fetched, built or traced here"
  echo "$program $(score "$program" --smooth=static --event instructions)" \
    "$(score "$program" --smooth=flat --event instructions)" \
    "$(score "$program" --smooth=mcf --event instructions) $(score "$program" --smooth=mcf)"
done | tee "$work/scores"
python3 - "$work/scores" <<'END'
import sys

rows = [line.split() for line in open(sys.argv[1])]
names = [r[0] for r in rows]
values = [[float(x) for x in r[1:]] for r in rows]
print("program    static   flat   flow  events")
for name, v in zip(names, values):
    print("%-10s %6.1f %6.1f %6.1f  %6.1f" % (name, *v))
means = [sum(c) / len(c) for c in zip(*values)]
print("%-10s %6.1f %6.1f %6.1f  %6.1f" % ("mean", *means))
assert len(names) < 6 or means[1] >= means[0] + 8, "flow gains less than 8 points"
assert len(names) < 6 or means[2] >= means[1], "rising costs gain nothing"
assert len(names) < 6 or means[3] >= means[2] + 5, "events gain less than 5 points"
assert all(min(v[1:]) >= v[0] - 1 for v in values), "worse than the heuristics alone"
END
echo "ok"
