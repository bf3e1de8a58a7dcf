#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lookahead.py LOOKAHEAD [KERNEL...]: instructions of look-ahead per instruction that it follows, by part.

LOOKAHEAD is the program of benchmarks/lookahead.c (`cmake --build DIRECTORY --target lookahead`). callgrind counts,
so two runs of one build give the same figures whatever else the machine does. Parts are source files: what is
inlined counts where it was written. `us` are medians, warm and after the caches were emptied; they need a quiet machine.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

PARTS = (
    ("find", ("engine/decode_cache.", "isa/path.")),
    ("steps", ("x86_64/evaluate.", "x86_64/arithmetic.", "x86_64/state/status.", "bits/string_fortified")),
    ("drive", ("engine/core.", "engine/trace.", "isa/evaluate.", "isa/isa.h", "engine/site_values.")),
    ("first touches", ("engine/first_touch.", "engine/rate.")),
    ("waypoints", ("engine/waypoints.",)),
    ("ops", ("x86_64/integer/", "x86_64/operand.h", "x86_64/op.")),
    ("flags", ("state/flags.",)),
    ("vector", ("x86_64/vector/", "emmintrin")),
    ("shadow", ("isa/shadow.",)),
    ("read", ("engine/memory_reader.", "process_memory.")),
    ("lines", ("engine/cache_lines.", "x86_64/host.h", "ia32intrin")),
)
KERNELS = ("interpreter", "hash", "tree", "sort", "strings", "bodies")


def part_of(path):
    for name, files in PARTS:
        if any(f in path for f in files):
            return name
    return "rest"


def count(program, kernel):
    """Instructions by part of one trace, and the trace's branches and instructions."""
    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, "out")
        run = subprocess.run(
            ["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=measured",
             "--callgrind-out-file=" + out, program, kernel, "0"], capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit("lookahead.py: %s: %s" % (kernel, run.stderr.strip()))
        with open(out, encoding="utf-8") as file:
            parts = add_up(file)
    branches, evaluated = map(int, run.stdout.split())
    return parts, branches, evaluated


def add_up(lines):
    """Self costs of callgrind's format by part; a line behind `calls=` is what the callee cost."""
    names, parts = {}, collections.Counter()
    part, inclusive = "rest", False
    for line in lines:
        match = re.match(r"(f[lie])=\((\d+)\)(?: (.*))?", line)
        if match:
            if match[3]:
                names[match[2]] = match[3].strip()
            part = part_of(names[match[2]])
        elif line.startswith("calls="):
            inclusive = True
        elif re.match(r"[+*\-\d]", line):
            if not inclusive:
                parts[part] += int(line.split()[1])
            inclusive = False
        else:
            match = re.match(r"cf[il]=\((\d+)\) (.*)", line)
            if match:
                names[match[1]] = match[2].strip()
    return parts


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, kernels = os.path.abspath(sys.argv[1]), sys.argv[2:] or KERNELS
    names = [name for name, _ in PARTS] + ["rest"]
    print("%-12s%8s%8s" % ("Ir per insn", "whole", "/branch") + "".join("%10s" % n for n in names) + "      us     cold")
    whole = []
    for kernel in kernels:
        parts, branches, evaluated = count(program, kernel)
        total = sum(parts.values())
        times = subprocess.run([program, kernel], capture_output=True, text=True, check=True).stdout.split()[2:]
        whole.append(total / evaluated)
        print("%-12s%8.1f%8.0f" % (kernel, total / evaluated, total / branches) +
              "".join("%10.2f" % (parts[n] / evaluated) for n in names) +
              "%8.0f%9.0f" % tuple(int(t) / 1000 for t in times), flush=True)
    print("%-12s%8.1f" % ("mean", sum(whole) / len(whole)))


main()
