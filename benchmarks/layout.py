#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""layout.py --out DIR [--json FILE] [PROGRAM...]: what orders of functions and blocks are worth.

Each program (of spec-harness/programs, or python3) is built by clang, plain and with each order; what is there already is
not made again: run it again to go on. Taken branches, pages and misses are callgrind's, exact and without chance; time is
the median of rounds in which the builds take turns.
"""
import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import section

TOP = Path(__file__).resolve().parents[1]
RECIPE = TOP / "spec-harness/programs/recipe.sh"
TEXT = ("clang and ld.lld of one version build each program with a block address map; orders are of a recording of its training "
        "work, or of exact counts (callgrind) of the work that is measured. In thousands: taken branches of the program itself, "
        "calls and returns among them; misses of callgrind's caches of instructions (32 KiB, and its last level). Pages: those "
        "of 4 KiB of the program's code that ran. Time: median of CPU time, builds in turns, as a share of plain. hfsort and "
        "cdsort are softlbr's orders of functions, lld its own by the same calls (--call-graph-ordering-file). llvm-bolt reorders "
        "functions by cdsort.")
BOLT = ["-reorder-blocks=ext-tsp", "-reorder-functions=cdsort", "-split-functions", "-split-all-cold", "-stale-threshold=0"]
WORK = """
import re, collections
def work(n):
    words = collections.Counter()
    for i in range(n):
        text = " ".join(str(k * k % 997) + "ab"[k % 2] for k in range(300))
        for word in re.findall(r"[0-9]+[ab]", text):
            words[word] += 1
        rows = sorted((len(w), w[::-1], c) for w, c in words.items())
        words.update({r[1]: r[0] for r in rows[:50]})
        try:
            {}[i]
        except KeyError as e:
            words[str(e)] += 1
    return sum(c for c in words.values())
print(work(TIMES))
"""


class Failed(Exception):
    pass


def run(command, log, **options):
    with open(log, "ab") as file:
        file.write(("$ %s\n" % " ".join(map(str, command))).encode())
        file.flush()
        done = subprocess.run([str(word) for word in command], stdout=file, stderr=file, check=False, **options)
    if done.returncode not in (0, 5):
        raise Failed("%s: status %d, see %s" % (command[0], done.returncode, log))


class Suite:
    """A program of spec-harness/programs."""

    def __init__(self, name, options):
        self.name, self.options, self.root = name, options, options.out / "root"
        self.directory = options.out / name
        self.directory.mkdir(parents=True, exist_ok=True)
        self.log = self.directory / "log"

    def recipe(self, phase, *arguments, cwd=None, **variables):
        environment = dict(os.environ, ROOT=str(self.root), **{key: str(value) for key, value in variables.items()})
        run(["sh", RECIPE, self.name, phase, *arguments], self.log, cwd=cwd, env=environment)

    def prepare(self):
        self.recipe("fetch")
        self.recipe("inputs")

    def build(self, variant, compile_flags, link_flags):
        launcher = "ccache " if shutil.which("ccache") else ""
        self.recipe("build", BUILD=self.directory / variant, CC=launcher + self.options.clang,
                    CXX=launcher + self.options.clang.replace("clang", "clang++"), CFLAGS=compile_flags, LDFLAGS=link_flags)

    def work(self, binary, workload, wrapper, directory):
        directory.mkdir(parents=True, exist_ok=True)
        self.recipe("run", workload, cwd=directory, BINARY=binary, WRAPPER=wrapper or "")


class Python(Suite):
    """The interpreter alone, from Debian's source: a large program that waits for code."""

    def prepare(self):
        source = self.root / "sources/python3.11"
        if not source.exists():
            run([TOP / "scripts/fetch-source.sh", "python3.11", source], self.log)

    def build(self, variant, compile_flags, link_flags):
        tree = self.directory / variant
        plain = self.directory / "plain"
        if variant != "plain":
            shutil.copytree(plain, tree, symlinks=True, dirs_exist_ok=True)
            if "list=" in compile_flags:
                for thing in [*tree.rglob("*.o"), *tree.rglob("*.a")]:
                    thing.unlink()
            (tree / "python").unlink(missing_ok=True)
        elif not (tree / "Makefile").exists():
            tree.mkdir(exist_ok=True)
            run([self.root / "sources/python3.11/configure", "--without-ensurepip", "--disable-test-modules",
                 "CC=" + self.options.clang, "CFLAGS=-g0", "LDFLAGS=-fuse-ld=" + linker(self.options)], self.log, cwd=tree)
        run(["make", "-j2", "python", "OPT=-DNDEBUG -w " + compile_flags,
             "LINKFORSHARED=-Xlinker -export-dynamic " + link_flags], self.log, cwd=tree)
        shutil.copy(tree / "python", tree / self.name)

    def work(self, binary, workload, wrapper, directory):
        directory.mkdir(parents=True, exist_ok=True)
        script = directory / "work.py"
        script.write_text(WORK.replace("TIMES", {"train": "4000", "short": "150", "start": "0"}[workload]))
        command = ["-S", "-c", "pass"] if workload == "start" else ["-S", script]
        environment = dict(os.environ, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1",
                           PYTHONPATH=str(self.root / "sources/python3.11/Lib"))
        run([*([wrapper] if wrapper else []), binary, *command], self.log, cwd=directory, env=environment)


def linker(options):
    return options.clang.replace("clang", "lld")


def wrapper(program, name, text):
    path = program.directory / ("%s.sh" % name)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def counted(program, variant, workload):
    """The callgrind.out files of a run, made once: names."""
    directory = program.directory / "counts" / variant / workload
    if not (directory / "done").exists():
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        valgrind = wrapper(program, "valgrind", "exec valgrind -q --tool=callgrind --dump-instr=yes --collect-jumps=yes "
                           "--cache-sim=yes --callgrind-out-file=%s/cg.$$ \"$@\"\n" % directory)
        program.work(program.directory / variant / program.name, workload, valgrind, directory / "run")
        (directory / "done").touch()
    return sorted(directory.glob("cg.*"))


def recorded(program, workload, times=1, budget=3):
    directory = program.directory / "recorded" / workload
    if not (directory / "done").exists():
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        record = wrapper(program, "record", "exec %s record --budget=%d -o %s/rec.$$ -- \"$@\"\n" % (
            program.options.softlbr, budget, directory))
        for _ in range(times):
            program.work(program.directory / "plain" / program.name, workload, record, directory / "run")
        (directory / "done").touch()
    return sorted(directory.glob("rec.*"))


def convert(program, inputs, name, *outputs):
    plain = program.directory / "plain" / program.name
    command = [program.options.softlbr, "convert", "--force", "--binary", plain]
    for path in inputs:
        command += ["--profile", path]
    made = [program.directory / ("%s.%s" % (name, kind)) for kind, _ in outputs]
    for (kind, extra), path in zip(outputs, made):
        if not path.exists():
            run([*command, "--to", "%s=%s" % (kind.split("@")[0], path), *extra], program.log)
    return made


def built(program, variant, compile_flags, link_flags):
    binary = program.directory / variant / program.name
    if not binary.exists():
        program.build(variant, compile_flags, link_flags)


def variants(program):
    """Make all builds: (title, variant)."""
    flags = "-O2 -ffunction-sections -fbasic-block-address-map"
    link = "-fuse-ld=%s -Wl,-q" % linker(program.options)
    ordered = link + " -Wl,--no-warn-symbol-ordering,--%s=%s"
    program.prepare()
    built(program, "plain", flags, link)
    yield "plain", "plain"
    for source in program.options.sources.split(","):
        inputs = counted(program, "plain", "short") if source == "exact" else recorded(program, "train")
        hfsort, cdsort, calls, blocks, symbols, fdata = convert(
            program, inputs, source, ("order@hfsort", ["--order=hfsort"]), ("order@cdsort", ["--order=cdsort"]),
            ("call-graph", []), ("propeller", []), ("propeller-order", []), ("fdata", []))
        for title, path, option in (("hfsort", hfsort, "symbol-ordering-file"), ("cdsort", cdsort, "symbol-ordering-file"),
                                    ("lld", calls, "call-graph-ordering-file")):
            variant = "%s-%s" % (title, source)
            built(program, variant, flags, ordered % (option, path))
            yield "%s, %s" % (title, source), variant
        variant = "propeller-%s" % source
        os.environ["CCACHE_EXTRAFILES"] = str(blocks)
        built(program, variant, "%s -fbasic-block-sections=list=%s" % (flags, blocks), ordered % ("symbol-ordering-file", symbols))
        yield "Propeller, %s" % source, variant
        variant = "bolt-%s" % source
        moved = program.directory / variant / program.name
        if not moved.exists():
            moved.parent.mkdir(exist_ok=True)
            move_by_bolt(program, [program.options.clang.replace("clang", "llvm-bolt"), program.directory / "plain" / program.name,
                                   "-data=%s" % fdata, "-o", moved, *BOLT])
        yield "llvm-bolt, %s" % source, variant


def move_by_bolt(program, command):
    """A function that it can't move (computed jumps) it names: again without that one."""
    try:
        run(command, program.log)
    except Failed:
        found = re.findall(r"in function ([^ /]+)\S*\. Consider adding this function to --skip-funcs",
                           program.log.read_text(errors="replace"))
        if not found:
            raise
        run([*command, "-skip-funcs=%s(/.*)?" % re.escape(found[-1])], program.log)


def figures(program, variant, workload):
    """Taken branches, misses of the first and of the last level, pages."""
    taken, pages, missed, last = 0, set(), 0, 0
    for path in counted(program, variant, workload):
        preagg = path.with_name("preagg." + path.name)
        run([program.options.softlbr, "convert", "--force", "--binary", program.directory / variant / program.name,
             "--profile", path, "--to", "preagg=%s" % preagg], program.log)
        for line in preagg.read_text().splitlines():
            words = line.split()
            if words[0] == "B":
                taken += int(words[3])
            elif words[0] in "Ff":
                pages.update(range(int(words[1], 16) >> 12, (int(words[2], 16) >> 12) + 1))
        text = path.read_text()
        events = re.search(r"^events: (.*)", text, re.M)[1].split()
        sums = dict(zip(events, map(int, re.search(r"^(?:summary|totals): (.*)", text, re.M)[1].split())))
        missed += sums["I1mr"]
        last += sums["ILmr"]
    return [taken / 1e3, missed / 1e3, last / 1e3, len(pages)]


def timed(program, made):
    """Medians of CPU time, as shares of the first one's."""
    path = program.directory / "times.json"
    times = json.loads(path.read_text()) if path.exists() else {variant: [] for _, variant in made}
    for _ in range(program.options.rounds - min(len(times.get(variant, [])) for _, variant in made)):
        for _, variant in made:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            program.work(program.directory / variant / program.name, "short", None, program.directory / "timed")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.setdefault(variant, []).append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
        path.write_text(json.dumps(times))
    medians = [statistics.median(times[variant]) if times.get(variant) else None for _, variant in made]
    return [median / medians[0] if median else None for median in medians]


def measured(program):
    made = list(variants(program))
    shares = timed(program, made)
    for (title, variant), share in zip(made, shares):
        row = [program.name, title, *figures(program, variant, "short"), share]
        print(row, flush=True)
        yield row


def started(program):
    """Pages that a start touches, plain and with the order of starts."""
    path, = convert(program, recorded(program, "start", 600, 50), "start", ("order", ["--order=startup"]))
    flags = "-O2 -ffunction-sections -fbasic-block-address-map"
    built(program, "startup", flags, "-fuse-ld=%s -Wl,-q -Wl,--no-warn-symbol-ordering,--symbol-ordering-file=%s" % (
        linker(program.options), path))
    for title, variant in (("plain, start", "plain"), ("startup, start", "startup")):
        row = [program.name, title, *figures(program, variant, "start"), None]
        print(row, flush=True)
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", default=["sqlite3", "lua", "tcc", "python3"])
    parser.add_argument("--softlbr", type=Path, default=TOP / "build/softlbr")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--clang", default="clang-19")
    parser.add_argument("--sources", default="exact,recorded")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    options.out, options.softlbr = options.out.resolve(), options.softlbr.resolve()
    rows = []
    for name in options.programs or parser.get_default("programs"):
        program = (Python if name == "python3" else Suite)(name, options)
        try:
            rows += measured(program)
            if name == "python3":
                rows += started(program)
        except Failed as reason:
            print("layout.py: %s: %s" % (name, reason), file=sys.stderr)
    if options.json and rows:
        section.write(options.json, "Code layout", TEXT,
                      ["program", "order", "taken branches", "I1 misses", "LL misses", "pages", "time"], rows,
                      "benchmarks/layout.py --out OUT --json docs/evaluation/layout.json", 2)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
