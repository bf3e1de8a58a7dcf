#!/bin/sh
# SPDX-License-Identifier: MIT
# overlap.sh SOFTLBR: the numbers of `softlbr diff` for source profiles are those of autofdo's
# profile_diff (to four decimals) and of llvm-profdata overlap (to three decimals of a percent), on
# ten pairs of profiles made of one program's counts, each disturbed at random.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
profdata=$(command -v "$(newest llvm-profdata)") ||
  skip "no llvm-profdata"
command -v profile_diff >/dev/null || skip "autofdo's profile_diff is not installed"
needs valgrind

cd "$work"
gcc -O2 -g "$root"/examples/interpreter/*.c -o program
valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no \
  --callgrind-out-file=exact ./program "$root/examples/interpreter/training.asm" 1 >log 2>&1
"$softlbr" convert -b program -p exact --to preagg=counts 2>log
python3 - <<'END'
import random
random.seed(5)
lines = [line.split() for line in open("counts")]
for number in range(11):
    with open(f"{number}.preagg", "w") as out:
        for fields in lines:
            count = int(int(fields[3]) * random.choice([0, .01, .5, 1, 1, 1, 2, 30]))
            if count or number == 0:
                print(*fields[:3], count, *fields[4:], file=out)
END
for i in 0 1 2 3 4 5 6 7 8 9 10; do
  "$softlbr" convert -b program -p $i.preagg --gcc 11 --to gcov=$i.gcov --to llvm-text=$i.text \
    --force 2>log || [ $? -ge 4 ] || { cat log; exit 1; }
done
for i in 0 1 2 3 4 5 6 7 8 9; do
  other=$((i + 1))
  profile_diff --gcov_version=1 $i.gcov $other.gcov >$i.function 2>log
  "$profdata" overlap --sample $i.text $other.text >$i.llvm
  "$softlbr" diff $i.gcov $other.gcov >$i.gcov.diff
  "$softlbr" diff $i.text $other.text >$i.text.diff
done
python3 - <<'END'
import re
NAMES = {"Whole program profile similarity": "similarity", "Whole program sample overlap": "sample overlap",
         "unique in base profile": "samples unique to A", "unique in test profile": "to B",
         "Function overlap": "overlap of functions", "Hot-function overlap": "of hot functions",
         "Hot-block overlap": "of hot blocks"}
failed = 0
for i in range(10):
    theirs = "%.2f" % (100 * float(open(f"{i}.function").read().split()[-1]))
    ours = re.search(r"^function +([\d.]+) %", open(f"{i}.gcov.diff").read(), re.M)[1]
    text = open(f"{i}.text.diff").read()
    compared = [("profile_diff", theirs, ours)]
    for line in open(f"{i}.llvm"):
        m = re.match(r"\s+(?:percentage of samples )?(.*): ([\d.]+)%$", line)
        if m and m[1] in NAMES:
            name = NAMES[m[1]]
            compared.append((name, m[2], re.search(rf"\b{name} ([\d.]+) %", text)[1]))
    assert len(compared) == 8, compared
    print(i, *(f"{name} {a}" for name, a, b in compared))
    for name, a, b in compared:
        if a != b:
            print(f"FAIL: {name} of pair {i}: {a}, but {b} by softlbr diff")
            failed = 1
raise SystemExit(failed)
END
