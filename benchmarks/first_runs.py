#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""first_runs.py SOFTLBR [--cc gcc-16 --cxx g++-16] [--rounds N] [--json FILE]: what the times of first runs are worth.

gcc 16 and later put functions in the order in which a profile says that they ran first (-fprofile-reorder-functions).
Three programs of the suite are recorded at work and while they start, many times, and built by that profile with and
without the order. Of one start callgrind counts the pages of the program's own code that are touched, and misses of the
first-level instruction cache (32 KB, 8 ways).
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import section

RECIPE = Path(__file__).resolve().parents[1] / "spec-harness/programs/recipe.sh"
PAGE = 4096
STARTS = {
    "sqlite3": ["--size", "1", "--testset", "orm", ":memory:"],
    "lua": ["-e", ""],
    "tetgen": ["-pNEFQ", "{root}/sources/tetgen/example.poly"],
}
BUILDS = (
    ("-O2", []),
    ("-fauto-profile", ["-fauto-profile={profile}"]),
    ("the same, functions in order", ["-fauto-profile={profile}", "-fprofile-reorder-functions"]),
)
TEXT = ("Three programs, recorded at their training workload and at %d starts, and built by that profile; with "
        "`-fprofile-reorder-functions` gcc 16 puts functions in the order of the profile's time stamps. Pages of 4 KB of the "
        "program's own code that one start executes from, and its misses of an instruction cache of 32 KB, those of libraries "
        "included, by callgrind.")


def recipe(name, phase, *words, **variables):
    subprocess.run([RECIPE, name, phase, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=dict(os.environ, **{key: str(value) for key, value in variables.items()}))


class Build:
    def __init__(self, name, flags, directory, arguments):
        self.name = name
        self.directory = Path(directory)
        self.directory.mkdir()
        flags = " ".join(["-O2 -g", *flags])
        recipe(name, "build", ROOT=arguments.root, BUILD=self.directory, CC=arguments.cc, CXX=arguments.cxx, CFLAGS=flags,
               CXXFLAGS=flags, LDFLAGS="")
        self.program = self.directory / name
        self.at_start = [word.format(root=arguments.root) for word in STARTS[name]]

    def record(self, softlbr, rounds, root):
        """Recordings of the training workload, and of so many starts."""
        work, starts = self.directory / "work.data", self.directory / "starts.data"
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([softlbr, "record", "-q", "-o", work, "--", RECIPE, self.name, "run", "train"], cwd=directory,
                           check=True, stdout=subprocess.DEVNULL,
                           env=dict(os.environ, ROOT=str(root), BINARY=str(self.program), WRAPPER=""))
        subprocess.run([softlbr, "record", "-q", "-o", starts, "--", "sh", "-c",
                        'for i in $(seq %d); do "$@" >/dev/null; done' % rounds, "sh", self.program, *self.at_start],
                       check=True, stdin=subprocess.DEVNULL)
        return [work, starts]

    def start(self):
        """Pages of its own code, and misses, of one start."""
        out = self.directory / "callgrind.out"
        subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no",
                        "--cache-sim=yes", "--I1=32768,8,64", "--callgrind-out-file=%s" % out, self.program,
                        *self.at_start], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        pages, ours, misses = set(), False, None
        for line in out.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("ob="):
                ours = line[3:] == str(self.program)
            elif ours and line.startswith("0x"):
                pages.add(int(line.split()[0], 16) // PAGE)
            elif line.startswith("events:"):
                misses_at = line.split()[1:].index("I1mr")
            elif line.startswith(("totals:", "summary:")):
                misses = int(line.split()[1 + misses_at])
        return len(pages), misses


def rows(name, arguments, directory):
    recipe(name, "fetch", ROOT=arguments.root)
    recipe(name, "inputs", ROOT=arguments.root)
    plain = Build(name, [], directory / "plain", arguments)
    profile = directory / "profile"
    recordings = plain.record(arguments.softlbr, arguments.rounds, arguments.root)
    done = subprocess.run([arguments.softlbr, "convert", "--binary", plain.program, *("--profile=%s" % r for r in recordings),
                           "--to", "gcov=%s" % profile], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 5):
        sys.exit("first_runs.py: %s: %s" % (name, done.stderr))
    for number, (title, flags) in enumerate(BUILDS):
        build = Build(name, [flag.format(profile=profile) for flag in flags], directory / str(number), arguments)
        pages, misses = build.start()
        size = subprocess.run(["size", build.program], capture_output=True, text=True, check=True).stdout
        text = int(re.search(r"^\s*(\d+)", size.splitlines()[1])[1])
        yield [name, title, text // PAGE, pages, misses]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("softlbr")
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--rounds", type=int, default=400, help="recorded starts")
    parser.add_argument("--programs", default=",".join(STARTS))
    parser.add_argument("--root", type=Path, default=None, help="where sources and inputs are kept")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    arguments.softlbr = os.path.realpath(arguments.softlbr)
    result = []
    with tempfile.TemporaryDirectory() as directory:
        arguments.root = (arguments.root or Path(directory) / "root").resolve()
        arguments.root.mkdir(exist_ok=True)
        for name in arguments.programs.split(","):
            (Path(directory) / name).mkdir()
            for row in rows(name, arguments, Path(directory) / name):
                print(*row, sep="\t", flush=True)
                result.append(row)
    if arguments.json:
        section.write(arguments.json, "Functions in the order of their first runs", TEXT % arguments.rounds,
                      ["program", "build", "pages of its text", "touched at start", "I1 misses at start"], result,
                      "benchmarks/first_runs.py build/softlbr --cc %s --cxx %s" % (arguments.cc, arguments.cxx))


if __name__ == "__main__":
    main()
