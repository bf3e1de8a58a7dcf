#!/bin/bash
# callgrind.out as a profile: the counts of every instruction and of every edge are those that an
# independent reading of the same file has (tests/oracles/exact_edges.py). usage: exact.sh SOFTLBR
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
softlbr=$(readlink -f "$1")

needs gcc valgrind objdump python3

cd "$work"
for flags in "-O2" "-O1 -no-pie"; do
	gcc $flags -g "$root"/examples/interpreter/*.c -o interpreter
	valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no \
		--callgrind-out-file=exact.out ./interpreter "$root/examples/interpreter/training.asm" 2 \
		>/dev/null 2>&1
	python3 "$oracles/exact_edges.py" exact.out interpreter edges
	"$softlbr" convert --binary interpreter --profile exact.out --to preagg=profile 2>log || {
		cat log
		exit 1
	}
	python3 - interpreter profile edges "$flags" <<'END'
import bisect, collections, re, subprocess, sys
binary, profile, edges, flags = sys.argv[1:]
order, stub = [], set()
inside = ""
for line in subprocess.run(["objdump", "-d", "-w", binary], capture_output=True, text=True).stdout.splitlines():
    inside = line if line.startswith("Disassembly") else inside
    m = re.match(r"\s*([0-9a-f]+):\t", line)
    if m:
        order.append(int(m[1], 16))
        if ".plt" in inside:
            stub.add(order[-1])
order.sort()
ours, ours_taken = collections.Counter(), collections.Counter()
for line in open(profile):
    kind, a, b, n, *_ = line.split()
    a, b = (None if x.startswith("X") else int(x, 16) for x in (a, b))
    if kind == "B":
        ours_taken[a, b] += int(n)
    else:
        for i in range(bisect.bisect_left(order, a), bisect.bisect_right(order, b)):
            ours[order[i]] += int(n)
exact, taken = collections.Counter(), collections.Counter()
for line in open(edges):
    kind, *rest = line.split()
    if kind == "I":
        exact[int(rest[0], 16)] += int(rest[1])
    elif rest[3] not in ("fall", "xcall"):
        taken[int(rest[0], 16), int(rest[1], 16)] += int(rest[2])
wrong = [(hex(a), ours[a], n) for a, n in exact.items() if ours[a] != n and a not in stub]
wrong += [(hex(a), ours[a], 0) for a in ours if ours[a] and a not in exact]
wrong_edges = [(hex(f), hex(t), ours_taken[f, t], n) for (f, t), n in taken.items() if ours_taken[f, t] != n]
print("%s: %d instructions, %d wrong; %d edges, %d wrong" %
      (flags, len(exact), len(wrong), len(taken), len(wrong_edges)), wrong[:8], wrong_edges[:8])
sys.exit(bool(wrong or wrong_edges) or len(exact) < 500 or len(taken) < 100)
END
done
