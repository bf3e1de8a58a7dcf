#!/bin/sh
# SPDX-License-Identifier: MIT
# harness_counters.sh SOFTLBR: how spec-harness reads gcc's counters and what gcc says of them: the same overlap
# as `softlbr diff` has, files found whether -o is absolute or relative, warnings counted that -w hides.
. "$(dirname "$0")/../prelude.sh"
softlbr=$(realpath "$1")
needs gcc-12 g++-12 python3
cd "$work"

cat >one.c <<'END'
int two(int);
static int never(int x) { return x > 7 ? x : 3; }
int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 0; i < 1000 * argc; i++)
		sum += i % (argc + 2) ? two(i) : i;
	return argc > 9 ? never(sum) : argv[0][0] == sum;
}
END
mkdir deep
echo 'int two(int x) { if (x % 3) return x; return x > 500 ? 2 : 1; }' >deep/two.c

PYTHONPATH=$root/spec-harness python3 - "$work" "$softlbr" <<'END' || fail "spec-harness and its parts"
import json, os, shutil, subprocess, sys
from harness import compiler_log, gcda, toolchain

work, softlbr = sys.argv[1:]
counted = work + "/counted"
# As a recipe's script may: no space in a compiler's name.
compiler = compiler_log.logged(toolchain.Toolchain("gcc-12", "g++-12"), work + "/compiler")
assert compiler.version().startswith("gcc-12")

def build(flags, place):
    again = compiler_log.logged(compiler.real, work + "/compiler")
    for source, output, directory in (("one.c", place + "/one.o", work), ("two.c", "../deep/two.o", "deep")):
        done = subprocess.run([compiler.cc, "-O2", *flags, "-w", "-c", source, "-o", output], cwd=directory,
                              stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0 and not done.stderr, done
    return again.warnings(lambda name: True)

def count(name, *arguments):
    build(["-fprofile-generate", "-fprofile-dir=" + counted], work)
    subprocess.run(["gcc-12", "-fprofile-generate", "one.o", "deep/two.o", "-o", "program"], check=True)
    subprocess.run(["./program", *arguments])
    os.rename(counted, name)
    return name

few, many = count("few"), count("many", "1", "2", "3")
known = gcda.files(few)
assert len(known) == 2 and gcda.same_object("#one", known), known
whole = gcda.compare(few, many)
assert gcda.compare(few, few)["edge"] == 1 and 0.5 < whole["edge"] < whole["function"] <= 1, whole
assert whole["ran"] == 2 and whole["absent"] == 0, whole
for name, path in known.items():
    alone = [os.path.join(work, "alone", side) for side in ("few", "many")]
    for place, counters in zip(alone, (path, gcda.files(many)[name])):
        os.makedirs(place)
        shutil.copy(counters, place + "/x.gcda")
    ours = gcda.compare(*alone)
    theirs = json.loads(subprocess.run([softlbr, "diff", "--json", *(place + "/x.gcda" for place in alone)],
                                       stdout=subprocess.PIPE).stdout)["scores"]
    for level in ("edge", "function"):
        assert abs(ours[level] - theirs[level]) < 1e-4, (name, level, ours, theirs)
    shutil.rmtree("alone")

use = ["-fprofile-use=" + os.path.join(work, few)]
found = build(use, work)
assert found == {"missing": 0, "mismatched": 0}, found
found = build(["-O2"], work)
assert found == {"missing": 0, "mismatched": 0}, found
os.remove(known[gcda.same_object("#deep#two", known)])
found = build(use, work)
assert found == {"missing": 1, "mismatched": 0}, found
lost = gcda.compare(many, few)
assert lost["absent"] == 1 and lost["ran"] == 2, lost
with open("one.c", encoding="utf-8") as file:
    text = file.read().replace("sum += ", "if (i % 5) sum += ")
with open("one.c", "w", encoding="utf-8") as file:
    file.write(text)
found = build(use, work)
assert found["missing"] == 1 and found["mismatched"] >= 1, found  # a warning for each kind of counters
done = subprocess.run([compiler.cc, "-v"], stderr=subprocess.PIPE, text=True)
assert "gcc version 12" in done.stderr, done
with open("one.c", "w", encoding="utf-8") as file:
    file.write("int main(void) { return nothing; }\n")
done = subprocess.run([compiler.cc, "-c", "one.c"], stderr=subprocess.PIPE, text=True)
assert done.returncode and "nothing" in done.stderr, done
END
