#!/bin/bash
# SPDX-License-Identifier: MIT
# harness.sh SOFTLBR: spec-harness on its smoke suite and on a fake SPEC tree with the layout of CPU2006
# and of CPU2017: the report has the figures, two at once and a later run repeat nothing, compare finds nothing between
# two runs and what moved on purpose, a program that prints something else while it is recorded or when it is
# built with a profile fails loudly.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
harness=$here/../../spec-harness
softlbr=$(readlink -f "$1")

needs gcc-12 valgrind gnuplot python3
needs_recording
cd "$work"

run() {
  "$harness/run" --softlbr "$softlbr" --experiments "$experiments" "$@" >log 2>&1
}
experiments=similarity,frequencies,collector

echo "# the smoke suite: two programs, of which one is fetched, by two evaluations that share the work"
"$harness/run" --softlbr "$softlbr" --experiments "$experiments" --suite smoke --out one >other 2>&1 &
other=$!
run --suite smoke --out one || fail "$(cat log)"
wait $other || fail "$(cat other)"
twice=$(sed -n 's/^\[.*\] \(.*\): done .*/\1/p' log other | sort | uniq -d)
[ -z "$twice" ] || fail "done by both: $twice"
python3 - one/report <<'END' || fail "the report"
import json, os, sys
def table_of(name):
    return json.load(open(os.path.join(sys.argv[1], name + ".json")))["tables"][0]
section = json.load(open(os.path.join(sys.argv[1], "table4.json")))
assert section["schema_version"] == 1 and section["charts"][0]["name"] == "table4", section
assert section["made"]["softlbr"].startswith("softlbr ") and "--suite smoke" in section["made"]["command"], section
table = table_of("table4")
row = dict(zip(table["columns"], table["rows"][0]))
assert row["program"] == "lbm" and 60 < row["edge, 250us"] <= 100, row
assert row["traces at 250us"] > 100, row
assert table_of("ours")["rows"][0][1] > 10, table_of("ours")
names = [row[0] for row in table["rows"]]
missing = table_of("missing")["rows"] if os.path.exists(sys.argv[1] + "/missing.json") else []
gone = [row for row in missing if row[1] == "libquantum"]
assert "libquantum" in names or gone[0][2] == "skipped" and "source" in gone[0][3], gone
END
for file in report.html table4.svg table4.json; do
  [ -s one/report/$file ] || fail "no $file"
done
! ls one/report | grep -v -e '\.json$' -e '\.svg$' -e '^report.html$' || fail "other files in the report"
cp one/report/table4.svg drawn.svg
echo damaged >one/report/table4.svg
"$root/spec-harness/run" --redraw one/report >redrawn || fail "cannot draw again"
cmp -s drawn.svg one/report/table4.svg || fail "a plot that is drawn again is another one"
! grep -q FAILED log || fail "a failure that is not in the status: $(cat log)"
grep "^SKIPPED" log || true
run --suite smoke --out one || fail "$(cat log)"
! grep -q ": done" log || fail "a finished step was repeated: $(cat log)"

echo "# a second smoke run of the same builds and exact counts, compared"
mkdir two
cp -r one/steps two/
rm two/steps/*/record*
run --suite smoke --out two --root one/root || fail "$(cat log)"
grep -q "record-short-250us: done" log || fail "nothing was recorded again: $(cat log)"
"$harness/compare" one two || fail "two runs of one build differ by more than noise"
cp -r one/report moved
python3 -c '
import json
section = json.load(open("one/report/table4.json"))
table = section["tables"][0]
table["rows"][0][table["columns"].index("edge, 250us")] -= 40
json.dump(section, open("moved/table4.json", "w"))'
status=0
"$harness/compare" one moved >log || status=$?
[ $status = 1 ] && grep -q "^table4, lbm, .*(-40.0" log || fail "40 points less: $status, $(cat log)"

# fake YEAR: an installed SPEC CPU of one benchmark. Its tools do what the documents of SPEC's say of
# runspec and runcpu: build from a config file, set up run directories, print the commands.
fake() {
  local root=$work/spec$1 benchspec runner binary
  case $1 in
    2006) benchspec=CPU2006 runner=runspec ;;
    2017) benchspec=CPU runner=runcpu ;;
  esac
  mkdir -p "$root/bin" "$root/config" "$root/benchspec/$benchspec/999.tiny/src"
  echo "export SPEC=\$PWD PATH=\$PWD/bin:\$PATH" >"$root/shrc"
  echo "1.0" >"$root/version.txt"
  cat >"$root/benchspec/$benchspec/999.tiny/src/tiny.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	unsigned long sum = 1;
	for (long i = 0; i < atol(argv[1]); i++)
		sum = sum * 3 + (sum % 7 < 3 ? (unsigned long)i : sum >> 5);
#ifdef LIE
	sum++;
#endif
	printf("%lu\n", getenv("LIAR") && !strcmp(getenv("LIAR"), "recorded") &&
	       getenv("LD_PRELOAD") ? 0 : sum);
	return argc != 2;
}
END
  cat >"$root/bin/$runner" <<END
#!/bin/bash
set -e
cd "\$SPEC/benchspec/$benchspec/999.tiny"
while [ \$# -gt 0 ]; do
  case \$1 in
    --config) config=\$SPEC/config/\$2; shift ;;
    --action) action=\$2; shift ;;
    --size) size=\$2; shift ;;
    --tune) shift ;;
  esac
  shift
done
label=\$(sed -n 's/^\(ext\|label\) *= *//p' "\$config")
value() { sed -n "s/^ *\$1 *= *//p" "\$config" | head -n 1; }
if [ \$action = build ]; then
  place=build/build_base_\$label.0000
  rm -rf \$place
  mkdir -p exe \$place
  cp src/tiny.c \$place
  case "\${LIAR:-} \$(value OPTIMIZE)" in build*-fauto-profile*) lie=-DLIE ;; esac
  (cd \$place
   \$(value CC) \$(value OPTIMIZE) \$(value COPTIMIZE) \${lie:-} -c tiny.c
   \$(value CC) \$(value OPTIMIZE) \$(value COPTIMIZE) \$(value LDOPT) \$(value LDFLAGS) tiny.o -o tiny)
  cp \$place/tiny exe/tiny_base.\$label
else
  case \$size in test) n=3000000 ;; train) n=30000000 ;; ref) n=60000000; [ $1 = 2006 ] || size=refrate ;; esac
  place=run/run_base_\${size}_\$label.0000
  mkdir -p \$place
  cp exe/tiny_base.\$label \$place
  echo "../run_base_\${size}_\$label.0000/tiny_base.\$label \$n > tiny.out 2>> tiny.err" >\$place/speccmds.cmd
fi
END
  cat >"$root/bin/specinvoke" <<'END'
#!/bin/bash
echo "# specinvoke r4356"
echo "#  Invoked as: specinvoke -n speccmds.cmd"
echo "# Starting run for copy #0"
cat speccmds.cmd
echo "specinvoke exit: rc=0"
END
  chmod +x "$root"/bin/*
}

experiments=collector,inputs
for year in 2006 2017; do
  echo "# SPEC CPU$year"
  fake $year
  run --suite "spec=$work/spec$year" --runs 1 --out $year || fail "$(cat log)"
  [ "$(grep -c '^ *\["999.tiny"' $year/report/*.json | awk -F: '{ n += $2 } END { print n }')" = 4 ] || fail "not all rows of 999.tiny: $(cat log)"
done

# differing WHY EXPERIMENT STEPS: the steps, made again with a program that differs, fail loudly
differing() {
  experiments=$2
  rm -r 2017/steps/999.tiny/$3
  ! LIAR=$1 run --suite "spec=$work/spec2017" --runs 1 --out 2017 || fail "$1: not noticed"
  grep -o -m1 "<h2[^>]*>[^<]*" 2017/report/report.html | head -n 1 |
    grep -q "OUTPUT DIFFERS" || fail "$1: not first in the report: $(cat log)"
}
differing recorded collector "record*"
differing build inputs "build-gcc-ours*"
grep -q "OUTPUT DIFFERS: the rebuilt program" 2017/report/missing.json || fail "$(cat log)"
