#!/bin/sh
# SPDX-License-Identifier: MIT
# harness_versions.sh: spec-harness's table of compilers' versions. Taken branches are those of a loop whose number is
# known; means are of the programs that every version has whole, and shares those of an instrumented build's saving.
. "$(dirname "$0")/../prelude.sh"
needs gcc python3 valgrind
cd "$work"

cat >loop.c <<'END'
__attribute__((noinline)) int odd(int x)
{
	asm volatile("" : "+r"(x));
	return x;
}
int main(void)
{
	for (int i = 0; i < 60000; i++)
		odd(i);
	return 0;
}
END
for times in 60000 0; do
  sed "s/60000/$times/" loop.c >this.c
  gcc -O1 this.c -o this
  valgrind --tool=callgrind --callgrind-out-file="counts.$times" --dump-instr=yes --collect-jumps=yes ./this 2>log ||
    fail "$(cat log)"
done

PYTHONPATH=$root/spec-harness python3 - <<'END' || fail "tables of versions"
from harness.measure import taken_branches

# a call and a jump back each time, but for the last
loop = taken_branches(["counts.60000"]) - taken_branches(["counts.0"])
assert 119990 <= loop <= 120010, loop
END

PYTHONPATH=$root/spec-harness python3 - <<'END' || fail "sections of versions"
import os
from harness.experiments import versions
from harness.report import section_json
rows = {"12.2.0": [["astar", 0.0, 5.0, 9.0, 10.0], ["sphinx", 0.0, 10.0, 10.0, 20.0], ["xz", 1.0, 1.0, 1.0, None]],
        "9.1.0": [["astar", 0.0, 5.0, 9.0, 10.0], ["sphinx", 0.0, 10.0, 10.0, 20.0], ["xz", 90.0, 90.0, 90.0, 90.0]]}
summary = versions.section("gcc", [["gcc 9.1.0"] + rows["9.1.0"][0]]).tables[0]
assert [row[1] for row in summary.rows] == ["all"], summary  # none of them is held out
for version, found in rows.items():
    os.makedirs(version)
    with open(version + "/versions-gcc.json", "w", encoding="utf-8") as file:
        section = versions.section("gcc", [["gcc " + version] + row for row in found])
        section.made = {"softlbr": "1", "date": "today", "machine": "this", "command": "run"}
        file.write(section_json(section))
END
mkdir whole
"$root/spec-harness/versions" 0123456789 12.2.0/versions-gcc.json 9.1.0/versions-gcc.json whole
python3 - <<'END' || fail "several versions as one"
import json
with open("whole/versions-gcc.json", encoding="utf-8") as file:
    section = json.load(file)
summary, whole = (table["rows"] for table in section["tables"])
assert len(whole) == 6 and section["made"]["command"] == "scripts/matrix/versions.sh", section
assert section["made"]["softlbr"] == "01234567", section["made"]
# xz is no part of it: one of both lacks a build. The means are of 0.9 and 0.8; held out is sphinx alone.
assert [row[:3] for row in summary] == [["gcc 9.1.0", "all", 2], ["gcc 9.1.0", "held out", 1],
                                        ["gcc 12.2.0", "all", 2], ["gcc 12.2.0", "held out", 1]], summary
assert abs(summary[0][6] - 100 * (1 - (0.9 * 0.8) ** 0.5)) < 1e-9 and abs(summary[1][6] - 20) < 1e-9, summary
assert abs(summary[1][8] - 50) < 1e-9 and abs(summary[3][9] - 50) < 1e-9, summary
END
