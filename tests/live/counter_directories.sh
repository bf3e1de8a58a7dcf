#!/bin/sh
# SPDX-License-Identifier: MIT
# counter_directories.sh SOFTLBR: directories of counters of real instrumented programs, by each of gcc 11 to 17
# that is here: shown as gcov shows them, compared as gcov-dump's figures say, added up as gcov-tool does.
. "$(dirname "$0")/../prelude.sh"
softlbr=$(realpath "$1")
needs gcc gcov gcov-dump gcov-tool python3
cd "$work"

mkdir -p src/lib
cat >src/both.h <<'END'
int table(int n);
static inline int shared(int x)
{
	return x % 7 ? x + 3 : 1;
}
END
cat >src/lib/table.c <<'END'
#include "../both.h"
static int deep(int x)
{
	if (x > 500)
		return x - 500;
	return shared(x);
}
static int __attribute__((noinline)) last(int x)
{
	return x % 5 == 0;
}
int table(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += deep(i) + last(i);
	return sum;
}
int never(int x)
{
	return x ? 1 : table(x);
}
END
cat >src/main.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "both.h"
int main(int argc, char **argv)
{
	long sum = argc;

	for (int i = 0; i < 30; i++)
		sum += table(atoi(argv[1])) + shared(i);
	printf("%ld\n", sum);
	return 0;
}
END

# says FILE PATTERN
says() { grep -q -- "$2" "$1" || fail "not said: $2: $(cat "$1")"; }

# ends STATUS COMMAND...: what it says is in `said`
ends() {
  wanted=$1 status=0
  shift
  "$@" >said 2>&1 || status=$?
  [ $status = "$wanted" ] || fail "$*: status $status, not $wanted: $(cat said)"
}

# one_compiler SUFFIX: of gcc, gcov, gcov-tool and gcov-dump
one_compiler() {
  rm -rf build a b
  cp -r src build
  (
    cd build
    for object in lib/table main; do
      gcc$1 -O2 -g -no-integrated-cpp -fprofile-generate -ftest-coverage -c $object.c -o $object.o || exit 1
    done
    gcc$1 -fprofile-generate lib/table.o main.o -o app
  ) || fail "gcc$1 does not compile"
  for side in a b; do
    [ $side = a ] && n=1000 || n=300
    rm -f build/*.gcda build/lib/*.gcda
    (cd build && ./app $n >/dev/null) || fail "the instrumented program"
    mkdir -p $side/lib
    cp build/main.gcda $side && cp build/lib/table.gcda $side/lib
  done
  (cd build && gcov$1 --json-format --stdout main.gcda lib/table.gcda) >coverage || fail "gcov$1"

  ends 0 "$softlbr" show --top 0 --json --keys build --by functions,lines b
  python3 - said coverage <<'END' || fail "gcc$1: show says something else than gcov"
import json, sys
shown = json.load(open(sys.argv[1]))
functions, lines = {}, {}
for document in map(json.loads, open(sys.argv[2])):
    for file in document["files"]:
        for f in file["functions"]:
            functions[f["name"]] = f["execution_count"]
        for line in file["lines"]:
            key = file["file"].split("/")[-1], line["line_number"]
            lines[key] = max(lines.get(key, 0), line["count"])
rows = shown["functions"]["rows"]
assert shown["objects"] == 2 and shown["named"] == len(rows), shown
assert {r["function"]: r["entries"] for r in rows} == functions, (rows, functions)
assert rows[0]["function"] == "table" and rows[0]["file"].endswith("table.c"), rows[0]
assert rows[0]["object"] == "lib/table.gcda", rows[0]
ours = {}
for r in shown["lines"]["rows"]:
    key = r["file"].split("/")[-1], r["line"]
    ours[key] = max(ours.get(key, 0), r["count"])
assert ours.keys() == lines.keys(), (ours, lines)
# a loop's line has several blocks: the most frequent one counts here, gcov takes what enters the line
same = [key for key in ours if ours[key] == lines[key]]
assert len(same) >= len(ours) - 2 and ("table.c", 5) in same, (ours, lines)
END
  # names: of the program those that other files see, of keys all
  ends 0 "$softlbr" show --json b
  says said '"named": 0'
  ends 0 "$softlbr" show --binary build/app b
  says said ' never ' && says said ' table ' && says said '^note .*--keys'
  ! grep -q ' last ' said || fail "a local function has a name"
  ends 0 "$softlbr" show --keys build --function table b
  says said ' 9030  lib.table.c *16  table' && says said '^Arcs' && says said ' 9000  *3  *5  yes'
  ends 3 "$softlbr" show --keys build --function nosuch b
  says said 'has no function nosuch'
  ends 3 "$softlbr" show --by lines b
  says said 'give --keys DIR'
  ends 0 "$softlbr" show --keys build --source src b
  says said 'table.c *4  *9000 .*if (x > 500)'
  ends 0 "$softlbr" show --keys build b/lib/table.gcda
  says said ' last '
  ends 0 "$softlbr" show build
  says said ' last '

  ends 0 "$softlbr" diff --fail-under 0.99999 a a
  ends 7 "$softlbr" diff --fail-under 0.99 a b
  ends 0 "$softlbr" diff --json --keys build a b
  python3 - said gcov-dump$1 a b <<'END' || fail "gcc$1: diff"
import json, re, subprocess, sys
compared, sides = json.load(open(sys.argv[1])), []
for side in sys.argv[3:]:
    counts = {}
    for file in "main.gcda", "lib/table.gcda":
        inside, function = False, None
        for line in subprocess.check_output([sys.argv[2], "-l", side + "/" + file], text=True).splitlines():
            ident = re.search(r"FUNCTION ident=(\d+)", line)
            function = ident[1] if ident else function
            tag = re.search(r":COUNTERS (\w+) ", line)
            inside = tag[1] == "arcs" if tag else inside
            values = re.search(r":\s+(\d+): ([-\d ]+)$", line)
            for i, n in enumerate(values[2].split() if values and inside else []):
                counts[function, int(values[1]) + i] = int(n)
    sides.append({key: n / sum(counts.values()) for key, n in counts.items()})
keys = sides[0].keys() & sides[1].keys()
weights = [{f: sum(n for k, n in s.items() if k[0] == f) for f in {k[0] for k in keys}} for s in sides]
edge = sum(min(sides[0][k], sides[1][k]) for k in keys)
function = sum(min(weights[0][f], weights[1][f]) for f in weights[0])
within = sum(weights[1][f] * sum(min(*(s[k] / w[f] for s, w in zip(sides, weights))) for k in keys if k[0] == f)
             for f in weights[0] if weights[0][f] and weights[1][f])
scores = compared["scores"]
assert 0.5 < edge < 1
for name, mine in ("edge", edge), ("function", function), ("within", within):
    assert abs(scores[name] - mine) < 2e-6, (name, scores, mine)
assert compared["functions"][0]["name"] == "table", compared["functions"]
END

  rm -rf sum theirs one less
  ends 0 "$softlbr" merge -o sum a b
  gcov-tool$1 merge -o theirs a b >/dev/null 2>&1 || fail "gcov-tool$1"
  for file in main.gcda lib/table.gcda; do
    cmp sum/$file theirs/$file || fail "gcc$1: another sum than gcov-tool's"
  done
  # a run that came to one object alone counts for the program's greatest count all the same
  mkdir one
  cp a/main.gcda one
  ends 0 "$softlbr" merge -o less one -w 2 b
  ends 0 "$softlbr" merge -o more -w 2 b -w 1 one
  diff -r less more || fail "the sum depends on the order"
  ends 0 "$softlbr" show --json less/lib/table.gcda
  cp said first
  ends 0 "$softlbr" show --json less/main.gcda
  [ "$(grep greatest first)" = "$(grep greatest said)" ] || fail "the program's greatest count: $(cat first said)"
  rm -r more
  ends 2 "$softlbr" merge -o a a b
  says said 'a is an input'
  ends 2 "$softlbr" merge -o sum one
  says said 'counters of another object, lib/table.gcda'
  ends 0 "$softlbr" merge --force -o sum one
  ends 3 "$softlbr" merge -o new a b/main.gcda
  says said 'one file'
  ends 2 "$softlbr" merge -o - a b
  says said 'standard output'
  [ ! -e new ] && [ ! -e - ] || fail "files of what was refused"

  # another build: functions that did not change are added, one that did is refused by its name
  rm -rf other c
  cp -r build other
  rm -f other/*.gcda other/lib/*.gcda
  (cd other && gcc$1 -O2 -g -no-integrated-cpp -fprofile-generate -ftest-coverage -c main.c -o main.o &&
    gcc$1 -fprofile-generate lib/table.o main.o -o app && GCOV_PREFIX_STRIP=99 GCOV_PREFIX=../c ./app 50 >/dev/null 2>&1) ||
    fail "the same sources again"
  [ -e c/main.gcda ] || fail "no counters: $(find c)"
  ends 0 "$softlbr" merge -o sum.gcda one/main.gcda c/main.gcda
  sed 's/long sum = argc;/& if (argc == 7) puts("seven");/' src/main.c >other/main.c
  (cd other && gcc$1 -O2 -g -no-integrated-cpp -fprofile-generate -ftest-coverage -c main.c -o main.o &&
    gcc$1 -fprofile-generate lib/table.o main.o -o app && GCOV_PREFIX_STRIP=99 GCOV_PREFIX=../c ./app 50 >/dev/null 2>&1) ||
    fail "other sources"
  rm -f c/table.gcda
  ends 3 "$softlbr" merge --keys other -o new one c
  says said 'another control-flow graph of the function main '

  # check: what can be said of counters alone, beside their keys, and beside those of the sources as they are now
  ends 0 "$softlbr" check a
  says said '^verdict *good' && says said 'counted by an instrumented program' && says said 'without keys'
  ends 0 "$softlbr" check --keys build a
  says said ' 75.00 %  functions with counters that were executed'
  says said '100.00 %  counts in functions with unchanged control flow'
  ends 0 "$softlbr" check --keys build --against other a
  says said 'other control flow .* main$' && says said 'unchanged .* table$'
  ends 5 "$softlbr" check --keys build --against other --min-same-flow 100 a
  says said '^verdict *poor' && says said 'record the new build'
  sed 's/^int main/\n&/' src/main.c >other/main.c
  (cd other && gcc$1 -O2 -g -no-integrated-cpp -fprofile-generate -ftest-coverage -c main.c -o main.o) || fail "moved lines"
  ends 0 "$softlbr" check --keys build --against other --min-same-flow 100 a
  says said 'other lines .* main$'
  # the compiler agrees: it warns of what is at other lines and takes it, and refuses what flows backwards
  use() {
    (cd other && cp "../$1/main.gcda" main.gcda &&
      gcc$2 -O2 -g -no-integrated-cpp -fprofile-use -Wno-error=coverage-mismatch -c main.c -o main.o) >used 2>&1
  }
  use a "$1" && says used 'source locations for function.*main.*have changed' ||
    fail "gcc$1 does not take counters of other lines: $(cat used)"
  mkdir -p bad/lib
  cp a/lib/table.gcda bad/lib
  python3 - a/main.gcda bad/main.gcda <<'END' || fail "no counter to change"
import struct, sys
data = open(sys.argv[1], "rb").read()
begin = data.index(struct.pack("<I", 0x01a10000)) + 8
size = struct.unpack_from("<I", data, begin - 4)[0]
unit = 1 if size % 8 == 0 and size > 40 else 4
counts = list(struct.unpack_from("<%dQ" % (size * unit // 8), data, begin))
# main's loop goes on 30 times; one arm of what is inlined into it runs more often than that
most = max(range(len(counts)), key=lambda i: (20 < counts[i] < 30, counts[i]))
counts[most] = 5000
struct.pack_into("<%dQ" % len(counts), data := bytearray(data), begin, *counts)
open(sys.argv[2], "wb").write(data)
END
  ends 5 "$softlbr" check --keys build bad
  says said 'contradict each other' && says said 'negative flow .* main$'
  ! use bad "$1" && grep -q 'corrupted profile info' used || fail "gcc$1 takes counters that contradict each other: $(cat used)"
  mkdir elsewhere-$tried
  cp other/main.gcno elsewhere-$tried
  cp a/lib/table.gcda elsewhere-$tried
  ends 6 "$softlbr" check elsewhere-$tried
  says said 'do not belong together'
  rm -rf bad
  tried=$((tried + 1))
}

tried=0 absent=
for version in 11 12 13 14 15 16 17; do
  if command -v gcc-$version >/dev/null && command -v gcov-tool-$version >/dev/null; then
    one_compiler -$version
  else
    absent="$absent $version"
  fi
done

[ $tried -gt 0 ] || one_compiler ""
# what is no directory of counters
mkdir nothing
ends 3 "$softlbr" show nothing
says said 'nothing is a directory without recordings or counters'
ends 3 "$softlbr" diff a src/main.c
ends 3 "$softlbr" show --keys nothing a
says said 'no .gcno file'
[ -z "$absent" ] || skip_part "not here: gcc$absent"
echo "$tried compilers"
echo PASS
