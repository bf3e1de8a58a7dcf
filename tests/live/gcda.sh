#!/bin/sh
# SPDX-License-Identifier: MIT
# gcda.sh SOFTLBR: the counters of real instrumented programs, by gcc and each of gcc 11 to 17 that is here, with those of
# conditions and paths where it has them: read and written byte for byte, added up as gcov-tool does, shown as gcov-dump
# does.
. "$(dirname "$0")/../prelude.sh"
softlbr=$(realpath "$1")
needs gcc gcov-tool gcov-dump
cd "$work"

# Calls and values of more kinds than a list of gcc's holds (32), and a function that never runs.
{
  echo '#include <stdio.h>'
  echo '#include <stdlib.h>'
  echo '#include <string.h>'
  for i in $(seq 40); do echo "static int f$i(int x) { return x * $i + (x > $i); }"; done
  echo 'int never(int x) { return x > 3 ? x : 4; }'
  echo "static int (*const table[])(int) = {$(seq -s, -f 'f%g' 40)};"
  cat <<'END'
int main(int argc, char **argv)
{
	unsigned n = (unsigned)atoi(argv[1]), seed = (unsigned)atoi(argv[argc - 1]);
	char from[128] = {1}, to[128];
	long sum = 0;

	for (unsigned i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		unsigned r = seed >> 16;
		sum += table[(r & r >> 3) % 40]((int)i);
		memcpy(to, from, r % 97);
		sum += to[0] + (int)i / (1 + (int)(r % 50));
		sum += i % (1 + (r & 3));
	}
	return sum == 0;
}
END
} >program.c

# one_compiler SUFFIX: of gcc, gcov-tool and gcov-dump
one_compiler() {
  coverage=
  for option in -fcondition-coverage -fpath-coverage; do
    gcc$1 $option -fsyntax-only program.c 2>/dev/null && coverage="$coverage $option"
  done
  gcc$1 -O2 -g -fprofile-generate -ftest-coverage $coverage program.c -o program || fail "gcc$1 does not compile"
  for pair in 1 2 3 4 5; do
    for side in a b; do
      rm -f *.gcda
      mkdir -p $side$pair
      [ $side = a ] && n=$((pair * pair * 20)) || n=$((pair * 300))
      ./program $n $((n + pair)) || fail "the instrumented program fails"
      mv *.gcda $side$pair/p.gcda
      "$softlbr" merge $side$pair/p.gcda -o same.gcda || fail "merge of one"
      cmp same.gcda $side$pair/p.gcda || fail "gcc$1: not written as it was read"
    done
    gcov-tool$1 merge a$pair b$pair -o theirs || fail "gcov-tool$1"
    "$softlbr" merge a$pair/p.gcda b$pair/p.gcda -o sum.gcda || fail "merge"
    cmp sum.gcda theirs/p.gcda || fail "gcc$1, pair $pair: another sum than gcov-tool's"
    rm -r theirs
    merged=$((merged + 1))
  done
  "$softlbr" merge -w 3 a1/p.gcda -o three.gcda
  "$softlbr" merge a1/p.gcda a1/p.gcda a1/p.gcda -o thrice.gcda
  counts() { gcov-dump$1 -l "$2" | sed -n '/COUNTERS arcs/,/COUNTERS [^a]/p' | sed '/COUNTERS/d; s/^[^:]*://'; }
  [ "$(counts "$1" three.gcda)" = "$(counts "$1" thrice.gcda)" ] || fail "gcc$1: --weight"

  cp *.gcno a5/p.gcno
  "$softlbr" show --json --top 0 a5/p.gcda >shown || fail "show"
  python3 - shown "$(gcov-dump$1 -l a5/p.gcda)" <<'END' || fail "gcc$1: show says something else than gcov-dump"
import json, re, sys
shown = json.load(open(sys.argv[1]))
arcs, sums, inside = 0, [], False
for line in sys.argv[2].splitlines():
    if re.search(r":FUNCTION ", line):
        sums.append(0)
    tag = re.search(r":COUNTERS (\w+) ", line)
    if tag:
        inside = tag[1] == "arcs"
    counts = re.search(r":\s+\d+: ([-\d ]+)$", line)
    if counts and inside:
        sums[-1] += sum(map(int, counts[1].split()))
rows = shown["functions"]["rows"]
assert sorted(r["total"] for r in rows) == sorted(sums), (rows, sums)
assert shown["total"] == sum(sums) > 0
assert rows[0]["function"] == "main" and rows[0]["file"] == "program.c", rows[0]
assert [r["total"] for r in rows if r["function"] == "never"] == [0]
END
  "$softlbr" diff --fail-under 0.9999 a5/p.gcda a5/p.gcda >/dev/null || fail "diff with itself"
  "$softlbr" diff --json a5/p.gcda b5/p.gcda >compared || fail "diff"
  python3 - compared a5/p.gcda b5/p.gcda gcov-dump$1 <<'END' || fail "gcc$1: diff"
import json, re, subprocess, sys
compared = json.load(open(sys.argv[1]))
sides = []
for path in sys.argv[2:4]:
    counts, inside, function = {}, False, None
    for line in subprocess.check_output([sys.argv[4], "-l", path], text=True).splitlines():
        ident = re.search(r"FUNCTION ident=(\d+)", line)
        function = ident[1] if ident else function
        tag = re.search(r":COUNTERS (\w+) ", line)
        inside = tag[1] == "arcs" if tag else inside
        values = re.search(r":\s+(\d+): ([-\d ]+)$", line)
        for i, n in enumerate(values[2].split() if values and inside else []):
            counts[function, int(values[1]) + i] = int(n)
    sides.append({key: n / sum(counts.values()) for key, n in counts.items()})
overlap = sum(min(n, sides[1][key]) for key, n in sides[0].items())
assert 0.5 < overlap < 1, overlap
assert abs(compared["scores"]["edge"] - overlap) < 1e-6, (compared["scores"], overlap)
END
  # another build's
  sed 's/x > 3/x > 3 \&\& x < 9/' program.c >other.c
  gcc$1 -O2 -fprofile-generate other.c -o other && rm -f *.gcda && ./other 10 1
  status=0
  "$softlbr" merge a1/p.gcda ./*.gcda -o mixed.gcda 2>said || status=$?
  [ $status = 3 ] && grep -q 'of another build' said && [ ! -e mixed.gcda ] || fail "another build: $status"
  rm -rf a? b? ./*.gcda ./*.gcno
}

merged=0 absent=
one_compiler ""
for version in 11 12 13 14 15 16 17; do
  if command -v gcc-$version >/dev/null && command -v gcov-tool-$version >/dev/null; then
    one_compiler -$version
  else
    absent="$absent $version"
  fi
done
[ -z "$absent" ] || skip_part "not here: gcc$absent"
echo "$merged sums equal to gcov-tool's"
echo PASS
