#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bolt_quality.py SOFTLBR BINARY=RECORDING,EXACT... [--bolt llvm-bolt-23] [--json FILE]: is flow conserved?

What llvm-bolt (22 and later) prints of each profile of one recording: perf2bolt's of the same perf.data, ours, and ours
without smoothing. Beside it the overlap with EXACT (callgrind.out of the same work) and the taken branches that llvm-bolt
saves, which it counts by the profile itself. BINARY was linked with -Wl,-q.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import section

TEXT = ("What llvm-bolt's own line says of three profiles of one recording: perf2bolt's of the perf.data, which knows no weights "
        "of traces, ours, and ours as recorded. Each figure is of the worst 5 % of functions, whatever they count: those of a few "
        "samples. Flow gap: how much more flows into a block than out of it, or less, weighted by the logarithm of instructions, "
        "and the worst block that ran more than 500 times; call graph: calls of a function against what flows out of its first "
        "block. Edges: overlap with callgrind's exact counts. Taken branches: fewer after llvm-bolt, by the profile itself.")
LINE = re.compile(r"discontinuity ([\d.]+)%; call graph flow conservation gap ([\d.]+)%; CFG flow conservation gap ([\d.]+)% "
                  r"\(weighted\) ([\d.]+)% \(worst\)")
MOVES = ["-reorder-blocks=ext-tsp", "-reorder-functions=cdsort", "-split-functions", "-split-all-cold", "-dyno-stats"]


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode not in (0, 5):
        sys.exit("bolt_quality.py: %s: %s" % (command[0], (done.stdout + done.stderr)[-500:]))
    return done.stdout + done.stderr


def profiles(arguments, binary, recording, directory):
    perf2bolt = Path(shutil.which(arguments.bolt)).resolve().with_name("perf2bolt")
    run(perf2bolt, binary, "-p", recording, "-o", directory / "perf2bolt")
    yield "perf2bolt", directory / "perf2bolt"
    for title, options in (("fdata", []), ("fdata, --smooth=none", ["--smooth=none"])):
        path = directory / title.split()[-1]
        run(arguments.softlbr, "convert", "-b", binary, "-p", recording, *options, "--to", "fdata=%s" % path)
        yield title, path


def rows(arguments, binary, recording, exact):
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for title, path in profiles(arguments, binary, recording, directory):
            said = run(arguments.bolt, binary, "-data=%s" % path, "-o", directory / "moved", *MOVES)
            quality, saved = LINE.search(said), re.search(r"taken branches \(-([\d.]+)%\)", said)
            overlap = re.search(r"^edge +([\d.]+) %", run(arguments.softlbr, "diff", "-b", binary, exact, path), re.M)
            yield [os.path.basename(binary), title, *map(float, quality.groups()), float(overlap[1]), float(saved[1])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("softlbr")
    parser.add_argument("programs", nargs="+", metavar="BINARY=RECORDING,EXACT")
    parser.add_argument("--bolt", default="llvm-bolt")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    result = []
    for program in arguments.programs:
        binary, _, files = program.partition("=")
        for row in rows(arguments, binary, *files.split(",")):
            print(*row, sep="\t", flush=True)
            result.append(row)
    if arguments.json:
        section.write(arguments.json, "Whether llvm-bolt finds flow conserved", TEXT,
                      ["program", "profile", "discontinuity, %", "call graph gap, %", "flow gap, weighted, %", "worst, %",
                       "overlap of edges, %", "taken branches, % fewer"], result,
                      "benchmarks/bolt_quality.py build/softlbr %s --bolt %s" % (" ".join(arguments.programs), arguments.bolt),
                      digits=2)


if __name__ == "__main__":
    main()
