#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What profiles are worth to compilers: instructions executed on input that no profile has seen, by
programs that were built with exact profiles, with recorded ones raw and smoothed, and with an
instrumented build's. docs/results.md holds the tables of a run.

  gain.py --softlbr build/softlbr --out DIR [--programs sqlite,lua,tetgen]
          [--consumers clang-16,clang-19,gcc-12,bolt] [--kinds exact,instrumented,raw,none,mcf]
          [--recordings N] [--floor PERCENT]

Instructions, and for llvm-bolt taken branches too, are counted by callgrind: no noise. What is in DIR
already is not made again. The workloads are in benchmarks/gain_programs.py.
"""
import argparse
import collections
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "spec-harness"))
from harness import toolchain  # noqa: E402
from gain_programs import PROGRAMS  # noqa: E402

RECORDED = {  # what is made of a recording
    "raw": ("as recorded", ("--frequencies=raw", "--smooth=none")),
    "none": ("frequencies", ("--smooth=none",)),
    "mcf": ("frequencies, smoothed", ("--smooth=mcf",)),
}
PROFI = "-mllvm -sample-profile-use-profi"


def sh(*command, **how):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **how)
    if done.returncode:
        sys.exit("gain: %s: status %d: %s" % (" ".join(command)[:300], done.returncode,
                                              done.stdout.strip()[-2000:]))
    return done.stdout


class Builder:
    """Builds, profiles and counts of one program with one compiler, each made once."""

    def __init__(self, options, program, consumer):
        self.softlbr = options.softlbr
        self.program = program
        self.consumer = consumer
        self.directory = os.path.join(options.out, program.name, consumer)
        os.makedirs(self.directory, exist_ok=True)
        self.c = "gcc-12" if consumer == "bolt" else consumer
        self.cxx = self.c.replace("gcc", "g++").replace("clang", "clang++")
        self.is_clang = consumer.startswith("clang")
        self.flags = {"clang": toolchain.CLANG_BASE, "bolt": toolchain.BOLT_INPUT}.get(
            consumer.split("-")[0], toolchain.GCC_BASE)

    def path(self, name):
        return os.path.join(self.directory, name)

    def build(self, name, flags=""):
        """The program, in a directory of that name: its own name is what callgrind.out is matched by."""
        target = self.path(os.path.join(name, self.program.name))
        if not os.path.exists(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            link = "-Wl,-q" if self.consumer == "bolt" else ""
            self.program.build(sh, self.c, self.cxx, "%s %s" % (self.flags, flags), link, target)
        return target

    def base(self):
        return self.build("base")

    def run(self, prefix, binary, workload, directory):
        """Run with a workload; the digest of what it printed."""
        arguments, source = self.program.workload(workload)
        with open(source or os.devnull, "rb") as stdin:
            done = subprocess.run(prefix + [binary] + arguments, stdin=stdin, cwd=directory,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit("gain: %s: status %d: %s" % (" ".join(prefix + [binary] + arguments),
                                                  done.returncode, done.stderr.decode()[-1000:]))
        return hashlib.sha256(done.stdout + self.program.output(directory)).hexdigest()

    def callgrind(self, binary, workload, exact):
        """The path of callgrind.out."""
        out = binary + "." + workload + ".callgrind"
        if os.path.exists(out):
            return out
        # Valgrind 3.19 ends on the DWARF 5 of clang, so it runs a copy without.
        place = os.path.join(os.path.dirname(binary), "counted")
        os.makedirs(place, exist_ok=True)
        copy = os.path.join(place, os.path.basename(binary)) if self.is_clang else binary
        if copy != binary:
            sh("strip", "-g", "-o", copy, binary)
        digest = self.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=%s.new" % out] +
                          (["--dump-instr=yes", "--collect-jumps=yes", "--skip-plt=no"]
                           if exact else []), copy, workload, place)
        shutil.rmtree(place)
        known = self.path("output." + workload)
        if not os.path.exists(known):
            with open(known, "w", encoding="utf-8") as file:
                file.write(digest)
        with open(known, encoding="utf-8") as file:
            if file.read() != digest:
                sys.exit("gain: %s prints something else on %s" % (binary, workload))
        os.rename(out + ".new", out)
        return out

    def figures(self, binary):
        """Instructions, and taken branches of the program itself with llvm-bolt."""
        kept = binary + ".figures"
        if not os.path.exists(kept):
            bolt = self.consumer == "bolt"
            out = self.callgrind(binary, "unseen", bolt)
            with open(out, encoding="utf-8", errors="replace") as file:
                found = [re.findall(r"^(?:summary|totals): (\d+)", file.read(), re.M)[0]]
            if bolt:
                found.append(self.taken(binary, out))
                os.remove(out)
            with open(kept, "w", encoding="utf-8") as file:
                file.write(" ".join(found))
        with open(kept, encoding="utf-8") as file:
            return [int(number) for number in file.read().split()]

    def taken(self, binary, callgrind_out):
        preagg = binary + ".preagg"
        self.convert(binary, [callgrind_out], "preagg=" + preagg, "--force")
        with open(preagg, encoding="utf-8") as file:
            return str(sum(int(line.split()[3]) for line in file if line.startswith("B ")))

    def convert(self, binary, profiles, to, *how):
        command = [self.softlbr, "convert", "--binary", binary, "--to", to, *how]
        for profile in profiles:
            command += ["--profile", profile]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with open(to.split("=", 1)[1] + ".log", "w", encoding="utf-8") as log:
            log.write(done.stdout)
        if done.returncode not in (0, 5) and "--force" not in how:
            sys.exit("gain: %s: %s" % (" ".join(command), done.stdout))

    def recording(self, number):
        out = self.path("recording.%d" % number)
        if not os.path.exists(out):
            self.run([self.softlbr, "record", *self.program.record, "-o", out + ".new", "--"],
                     self.base(), "record", self.directory)
            os.rename(out + ".new", out)
        return out

    def with_profile(self, name, profile, profi=False, how=()):
        """A build (or a layout by llvm-bolt) from a recording or exact counts."""
        target = self.path(os.path.join(name + ("-profi" if profi else ""), self.program.name))
        if os.path.exists(target):
            return target
        kind = "fdata" if self.consumer == "bolt" else "llvm-text" if self.is_clang else "gcov"
        made = self.path(name + "." + kind)
        if not os.path.exists(made):
            self.convert(self.base(), [profile], "%s=%s" % (kind, made),
                         *(how + (("--gcc=12",) if kind == "gcov" else ())))
        if self.consumer == "bolt":
            os.makedirs(os.path.dirname(target), exist_ok=True)
            toolchain.optimize_layout(self.base(), made, target)
            return target
        if self.is_clang:
            use = "-fprofile-sample-use=%s %s" % (made, PROFI if profi else "")
        else:
            use = "-fauto-profile=%s %s -Wno-overflow" % (made, toolchain.GCC_COST_MODEL)
        return self.build(name + ("-profi" if profi else ""), use)

    def instrumented(self):
        data = self.path("instrumented-data")
        if self.is_clang:
            merged = self.path("instrumented.profdata")
            if not os.path.exists(merged):
                counting = self.build("counting", "-fprofile-generate=" + data)
                self.run([], counting, "train", self.directory)
                sh("llvm-profdata" + self.c[5:], "merge", "-o", merged, data)
            return self.build("instrumented", "-fprofile-use=%s -w" % merged)
        # gcc names its counters by the output's path: both builds are made at one place
        kept = self.path(os.path.join("instrumented", self.program.name))
        if not os.path.exists(kept):
            shutil.rmtree(data, ignore_errors=True)
            counting = self.build("counting", "-fprofile-generate -fprofile-dir=" + data)
            self.run([], counting, "train", self.directory)
            os.remove(counting)
            used = self.build("counting", "-fprofile-use=%s -fprofile-correction "
                              "-Wno-missing-profile -Wno-coverage-mismatch" % data)
            os.makedirs(os.path.dirname(kept), exist_ok=True)
            os.rename(used, kept)
        return kept


def variants(b, options):
    """(name, binaries): several binaries of as many recordings."""
    kinds = options.kinds.split(",")
    yield "no profile", [b.base()]
    if b.consumer.startswith("gcc"):
        yield "no profile, its flags", [b.build("control", toolchain.GCC_CONTROL + " " +
                                                toolchain.GCC_COST_MODEL)]
    for profi in (False, True) if b.is_clang and options.profi else (False,):
        suffix = ", profi" if profi else ""
        if "exact" in kinds:
            yield "exact" + suffix, [b.with_profile(
                "exact", b.callgrind(b.base(), "train", True), profi, ("--smooth=none",))]
        for kind, (name, how) in RECORDED.items():
            if kind in kinds and options.recordings:
                yield name + suffix, [
                    b.with_profile("%s.%d" % (kind, i), b.recording(i), profi, how)
                    for i in range(1, options.recordings + 1)]
    if "instrumented" in kinds and b.consumer != "bolt":
        yield "instrumented", [b.instrumented()]


def measure(b, options):
    rows, base = [], None
    for name, binaries in variants(b, options):
        found = [b.figures(binary) for binary in binaries]
        base = base or found[0]
        gains = [[100 * (1 - f / g) for f, g in zip(figures, base)] for figures in found]
        rows.append((name, found, gains))
        print("%s %s: %s: %s" % (b.program.name, b.consumer, name,
                                 "; ".join(" ".join("%.2f" % g for g in gain) for gain in gains)),
              file=sys.stderr, flush=True)
    return rows


def shown(gains, figure):
    values = [gain[figure] for gain in gains]
    if len(values) == 1:
        return "%.1f" % values[0]
    return "%.1f (%.1f to %.1f)" % (statistics.mean(values), min(values), max(values))


def present(tables):
    """One table per consumer: rows are profiles, columns programs."""
    for consumer, programs in tables.items():
        figures = ["instructions", "taken branches"] if consumer == "bolt" else ["instructions"]
        print("\n%s: per cent fewer on unseen input\n" % consumer)
        heads = [p if f == "instructions" else p + ", " + f for p in programs for f in figures]
        print("| | %s |\n| --- |%s" % (" | ".join(heads), " --- |" * len(heads)))
        for i, (name, _, _) in enumerate(next(iter(programs.values()))):
            cells = [shown(rows[i][2], f) for rows in programs.values() for f in range(len(figures))]
            if i:
                print("| %s | %s |" % (name, " | ".join(cells)))
            else:
                print("| %s, millions | %s |" % (name, " | ".join(
                    "%.1f" % (rows[0][1][0][f] / 1e6)
                    for rows in programs.values() for f in range(len(figures)))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--softlbr", default=os.path.join(here, "..", "build", "softlbr"))
    parser.add_argument("--out", required=True)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--consumers", default="clang-16,clang-19,gcc-12,bolt")
    parser.add_argument("--kinds", default="exact,instrumented,raw,none,mcf")
    parser.add_argument("--recordings", type=int, default=3)
    parser.add_argument("--no-profi", dest="profi", action="store_false",
                        help="clang without -sample-profile-use-profi only")
    parser.add_argument("--floor", type=float, metavar="PERCENT",
                        help="fail if any build with a profile saves fewer instructions")
    options = parser.parse_args()
    options.softlbr = os.path.abspath(options.softlbr)
    options.out = os.path.abspath(options.out)
    tables = collections.OrderedDict()
    for name in options.programs.split(","):
        program = PROGRAMS[name](os.path.join(options.out, name))
        program.prepare(sh)
        for consumer in options.consumers.split(","):
            tables.setdefault(consumer, collections.OrderedDict())[name] = measure(
                Builder(options, program, consumer), options)
    present(tables)
    if options.floor is not None:
        low = [(consumer, program, name) for consumer, programs in tables.items()
               for program, rows in programs.items() for name, _, gains in rows
               if not name.startswith("no profile") and min(g[0] for g in gains) < options.floor]
        if low:
            sys.exit("gain: below %g %%: %s" % (options.floor, low))


if __name__ == "__main__":
    main()
