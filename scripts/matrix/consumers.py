#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""consumers.py SOFTLBR OUT.json: what every compiler and tool of this release of Debian makes of our profiles.

Installs all of them, and gives each a profile of the bundled interpreter, recorded on one program and counted on another:
a compiler takes it if it says nothing and its program prints what the plain one does. Instructions are callgrind's; those
of an instrumented build with the same training are beside them. scripts/matrix.sh runs this in a root of its own.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(str(path) for path in (ROOT / "examples/interpreter").glob("*.c"))
TRAINING = [str(ROOT / "examples/interpreter/training.asm"), "600"]
EVALUATION = [str(ROOT / "examples/interpreter/evaluation.asm"), "10"]
GCC_OLDEST, LLVM_OLDEST = 11, 16
GCC_SNAPSHOT = "/usr/lib/gcc-snapshot/bin/gcc"
# gcc 12 divides by zero in its vectorizer with the cost model that -fauto-profile implies.
COST_MODEL = ["-fvect-cost-model=very-cheap"]
COUNTERS = ["-no-integrated-cpp"]
CLANG = ["-O2", "-gline-tables-only", "-fdebug-info-for-profiling"]
BOLT = ["-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", "-split-functions", "-split-all-cold", "-dyno-stats",
        "-stale-threshold=0"]


class Refused(Exception):
    """A tool failed, or complained."""


def run(*command, silent=True, **options):
    """What it printed on standard output. It must end well, and, if silent, have nothing to say on the other."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", timeout=900, **options)
    said = done.stderr.strip()
    if done.returncode or (silent and said):
        lines = [line for line in said.splitlines() if re.search("error|warning|refus|fail|mismatch", line)] or said.splitlines()
        raise Refused((lines or ["status %d" % done.returncode])[0].strip())
    return done.stdout


def packages(names, oldest):
    """NAME-N of this release, from the oldest on."""
    known = run("apt-cache", "pkgnames").split()
    found = [re.fullmatch("(%s)-([0-9]+)(-dev)?" % "|".join(names), name) for name in known]
    return [m[0] for m in found if m and int(m[2]) >= oldest]


def install():
    wanted = packages(["gcc"], GCC_OLDEST) + packages(["clang", "llvm", "lld", "bolt", "libclang-rt"], LLVM_OLDEST)
    wanted += ["gcc-snapshot", "linux-perf", "valgrind"]
    for name in wanted:
        subprocess.run([ROOT / "scripts/install-deps.sh", "--package=" + name], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)


def versions(name, oldest):
    found = (shutil.which("%s-%d" % (name, number)) for number in range(oldest, 100))
    return [path for path in found if path]


def version(tool):
    try:
        return re.search(r"\d+\.\d+\.\d+", run(tool, "--version", silent=False))[0]
    except Refused:  # llvm-profdata before 17 does not know it
        return tool.rpartition("-")[2]


def instructions(program):
    with tempfile.TemporaryDirectory() as directory:
        plain = os.path.join(directory, "program")
        run("strip", "-o", plain, program)  # valgrind may not read its debug information
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", plain, *EVALUATION],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def same_output(program, plain):
    if run(program, *EVALUATION) != run(plain, *EVALUATION):
        raise Refused("the program prints something else")


class Bench:
    """The program, built, recorded and built again, in a directory."""

    def __init__(self, softlbr):
        self.softlbr = softlbr

    def record(self, program):
        run(self.softlbr, "record", "-o", program + ".data", "--", "./" + program, *TRAINING, silent=False)

    def convert(self, program, *options):
        return run(self.softlbr, "convert", "--binary", program, "--profile", program + ".data", *options, silent=False)

    def saved(self, program, plain):
        """Of the plain one's instructions, in percent."""
        same_output("./" + program, "./" + plain)
        return 100 * (1 - instructions(program) / instructions(plain))

    def attempt(self, build, plain):
        """Is the profile accepted, and what is saved? build() makes the program that it names."""
        try:
            return "yes", self.saved(build(), plain)
        except Refused as refusal:
            return str(refusal), None


def gcc_rows(bench, gcc):
    plain = "gcc"
    run(gcc, "-O2", "-g", *COUNTERS, *SOURCES, "-o", plain)
    bench.record(plain)

    def automatic():
        bench.convert(plain, "--to", "gcov=profile.gcov")
        newer = ["-Wauto-profile"] if int(version(gcc).split(".")[0]) >= 16 else []
        run(gcc, "-O2", "-g", "-fauto-profile=profile.gcov", *COST_MODEL, *newer, *SOURCES, "-o", "automatic")
        return "automatic"

    def in_objects(output, *flags):
        """By one object for each source, since counters are an object's."""
        objects = []
        for source in SOURCES:
            objects.append(Path(source).stem + ".o")
            run(gcc, "-O2", *COUNTERS, *flags, "-c", source, "-o", objects[-1])
        run(gcc, *[f for f in flags if f == "-fprofile-generate"], *objects, "-o", output)
        return output

    def counted():
        for source in SOURCES:
            run(bench.softlbr, "gcc-keys", "-o", "keys", "--root=" + os.getcwd(), "--compile", "--", gcc, "-O2", *COUNTERS, "-c", source,
                "-o", Path(source).stem + ".o")
        bench.convert(plain, "--keys", "keys", "--to", "gcda=counters")
        return in_objects("counted", "-fprofile-use=" + os.path.abspath("counters"), "-fprofile-prefix-path=" + os.getcwd(),
                          "-Wmissing-profile", "-Wcoverage-mismatch")

    def instrumented():
        run("./" + in_objects("instrumented", "-fprofile-generate"), *TRAINING)
        return in_objects("trained", "-fprofile-use", "-Wmissing-profile")

    _, most = bench.attempt(instrumented, plain)
    for profile, build in (("-fauto-profile", automatic), ("-fprofile-use, our counters", counted)):
        yield ["gcc " + version(gcc), profile, *bench.attempt(build, plain), most]


def clang_rows(bench, clang):
    plain = "clang"
    run(clang, *CLANG, *SOURCES, "-o", plain)
    bench.record(plain)

    def sampled(form):
        def build():
            bench.convert(plain, "--to", "%s=profile.%s" % (form, form))
            run(clang, *CLANG, "-fprofile-sample-use=profile." + form, "-mllvm", "-sample-profile-use-profi", *SOURCES, "-o", form)
            return form
        return build

    def instrumented():
        run(clang, "-O2", "-fprofile-generate=raw", *SOURCES, "-o", "instrumented")
        run("./instrumented", *TRAINING)
        run(clang.replace("clang", "llvm-profdata"), "merge", "-o", "trained.profdata", "raw")
        run(clang, "-O2", "-fprofile-use=trained.profdata", *SOURCES, "-o", "trained")
        return "trained"

    _, most = bench.attempt(instrumented, plain)
    for form in ("llvm-text", "llvm-extbinary"):
        yield ["clang " + version(clang), "-fprofile-sample-use, " + form, *bench.attempt(sampled(form), plain), most]


def bolt_rows(bench, tools):
    if not tools:
        return
    plain = "bolt"
    run("gcc", "-O2", "-g", "-fno-reorder-blocks-and-partition", "-Wl,-q", *SOURCES, "-o", plain)
    bench.record(plain)
    bench.convert(plain, "--to", "fdata=bolt.fdata")
    for tool in tools:
        perf2bolt = Path(tool).resolve().with_name("perf2bolt")
        for profile in ("fdata", "preagg by perf2bolt", "perf.data by perf2bolt"):
            try:
                data = "bolt.fdata" if profile == "fdata" else "perf2bolt.fdata"
                if profile.startswith("preagg"):
                    bench.convert(plain, "--to", "preagg=bolt.preagg", "--bolt", version(tool).split(".")[0])
                    run(perf2bolt, plain, "-pa", "-p", "bolt.preagg", "-o", data, silent=False)
                elif profile != "fdata":
                    run(perf2bolt, plain, "-p", plain + ".data", "-o", data, silent=False)
                said = run(tool, plain, "-data", data, "-o", "moved", *BOLT, silent=False)
                same_output("./moved", "./" + plain)
                fewer = re.findall(r"taken branches \(([-+=\d.]+)%\)", said)
                yield ["llvm-bolt " + version(tool), profile, "yes", -float(fewer[-1]) if fewer else None]
            except Refused as refusal:
                yield ["llvm-bolt " + version(tool), profile, str(refusal), None]


def unsymbolized(profgen):
    """What llvm-profgen makes of the ranges."""
    run(profgen, "--binary=clang", "--use-offset=0", "--unsymbolized-profile=ranges", "--format=text",
        "--output=symbolized", silent=False)
    return Path("symbolized").read_text(encoding="utf-8")


def tool_rows(bench):
    """Tools that only read."""
    bench.convert("clang", "--to", "llvm-extbinary=profile", "--force")
    bench.convert("clang", "--to", "ranges=ranges")
    for tool in versions("llvm-profgen", LLVM_OLDEST):
        yield "llvm-profgen " + version(tool), "ranges", lambda tool=tool: unsymbolized(tool)
    for tool in versions("llvm-profdata", LLVM_OLDEST):
        yield "llvm-profdata " + version(tool), "llvm-extbinary", lambda tool=tool: run(tool, "show", "--sample", "profile")
    for options in (["report", "--stdio"], ["script", "-F", "brstack"], ["buildid-list"]):
        name = "perf " + re.search(r"[\d.]+\d", run("perf", "--version"))[0]
        yield name, "perf %s of perf.data" % options[0], lambda options=options: run("perf", *options, "-i", "clang.data")


def attempted(rows):
    for tool, profile, read in rows:
        try:
            yield [tool, profile, "yes" if read().strip() else "it prints nothing"]
        except Refused as refusal:
            yield [tool, profile, str(refusal)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("softlbr")
    parser.add_argument("out")
    arguments = parser.parse_args()
    bench, out = Bench(os.path.abspath(arguments.softlbr)), os.path.abspath(arguments.out)
    install()
    result = {"compilers": [], "layout": [], "tools": []}
    snapshot = [GCC_SNAPSHOT] if os.path.exists(GCC_SNAPSHOT) else []
    with tempfile.TemporaryDirectory() as directory:
        for make, tools in ((gcc_rows, versions("gcc", GCC_OLDEST) + snapshot), (clang_rows, versions("clang", LLVM_OLDEST))):
            for tool in tools:
                os.makedirs(os.path.join(directory, os.path.basename(tool)), exist_ok=True)
                os.chdir(os.path.join(directory, os.path.basename(tool)))
                result["compilers"] += make(bench, tool)
        result["layout"] += bolt_rows(bench, versions("llvm-bolt", LLVM_OLDEST))
        result["tools"] += attempted(tool_rows(bench))
        os.chdir("/")
    for rows in result.values():
        for row in rows:
            print(*("-" if cell is None else "%.1f" % cell if isinstance(cell, float) else cell for cell in row), sep="\t")
    with open(out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    refused = [row for rows in result.values() for row in rows if row[2] != "yes"]
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
