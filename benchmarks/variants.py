#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare builds of one program: the same output, instructions executed, CPU time.

  variants.py [options] NAME=PROGRAM NAME=PROGRAM ...

Each PROGRAM is run as `PROGRAM ARGUMENTS < INPUT`. The first one is the base. Instructions are
counted by callgrind: no noise, so that small differences are real. CPU time (user and system) is
measured in rounds that run every variant once, in reversed order every other round; a ratio is
taken within each round, so that a slow phase of the machine hits all variants alike, and the median
and the quartiles of the ratios are printed.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


class Workload:
    """What to run: arguments, and a file for standard input."""

    def __init__(self, arguments, stdin, output_filter):
        self.arguments = arguments
        self.stdin = stdin or os.devnull
        self.output_filter = output_filter

    def run(self, prefix, program, **streams):
        with open(self.stdin, "rb") as source:
            return subprocess.run(prefix + [program] + self.arguments, stdin=source,
                                  env=dict(os.environ, LC_ALL="C"), **streams)


def fail(text):
    sys.exit("variants: " + text)


def output_digest(workload, name, program):
    done = workload.run([], program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        fail("%s: exit status %d: %s" % (name, done.returncode, " ".join(last)))
    output = done.stdout
    if workload.output_filter:
        filtered = subprocess.run(["sh", "-c", workload.output_filter], input=output, stdout=subprocess.PIPE)
        if filtered.returncode:
            fail("--output-filter: `%s` ended with status %d" % (workload.output_filter, filtered.returncode))
        output = filtered.stdout
    return hashlib.sha256(output).hexdigest()


def count_instructions(workload, name, program):
    """Instructions of one run. valgrind 3.19 dies on clang's DWARF 5: then a stripped copy."""
    prefix = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    with tempfile.TemporaryDirectory() as directory:
        stripped = os.path.join(directory, os.path.basename(program))
        for candidate in (program, stripped):
            if candidate == stripped:
                subprocess.run(["objcopy", "--strip-debug", program, stripped], check=True)
            done = workload.run(prefix, candidate, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)
            found = re.search(rb"Collected\s*:\s*(\d+)", done.stderr)
            if found and not done.returncode:
                return int(found.group(1))
    fail("%s: callgrind counted nothing" % name)


def cpu_seconds(workload, program):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = workload.run([], program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        fail("%s: exit status %d" % (program, done.returncode))
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class Progress:
    """Which of so many steps runs, and how long the rest will take; on a terminal only."""

    def __init__(self, what, steps):
        self.what = what
        self.steps = steps
        self.done = 0
        self.begun = time.monotonic()
        self.show()

    def show(self):
        if not sys.stderr.isatty():
            return
        left = ""
        if self.done:
            seconds = (time.monotonic() - self.begun) / self.done * (self.steps - self.done)
            left = ", about %.0f s left" % seconds
        print("\r\033[K  %s: %d of %d%s" % (self.what, self.done, self.steps, left), end="", file=sys.stderr,
              flush=True)

    def step(self):
        self.done += 1
        self.show()

    def end(self):
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def rounds_of(workload, variants, rounds):
    """CPU seconds per variant, one per round; a first round only warms up."""
    seconds = {name: [] for name, _ in variants}
    progress = Progress("timed runs", (rounds + 1) * len(variants))
    for number in range(rounds + 1):
        for name, program in variants if number % 2 else variants[::-1]:
            taken = cpu_seconds(workload, program)
            if number:
                seconds[name].append(taken)
            progress.step()
    progress.end()
    return seconds


def instructions_of(workload, variants):
    """Instructions per variant, in order; as many run at once as there are processors."""
    progress = Progress("runs under callgrind", len(variants))
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {pool.submit(count_instructions, workload, *variant): variant[0] for variant in variants}
        for run in concurrent.futures.as_completed(runs):
            counts[runs[run]] = run.result()
            progress.step()
    progress.end()
    return [counts[name] for name, _ in variants]


def time_row(seconds, base):
    ratios = [b / s for b, s in zip(base, seconds)]
    low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return {"cpu_seconds": statistics.median(seconds), "speedup": middle,
            "speedup_quartiles": [low, high]}


def print_table(rows, base):
    print("%-28s %15s %10s %10s %10s %s" % ("", "instructions", "vs. first", "CPU s", "speed-up",
                                            "[quartiles]"))
    for row in rows:
        line = "%-28s" % row["name"]
        if "instructions" in row:
            change = 100.0 * (row["instructions"] / base["instructions"] - 1)
            line += " %15s %+9.2f%%" % (format(row["instructions"], ","), change)
        else:
            line += " %15s %10s" % ("-", "-")
        if "cpu_seconds" in row:
            line += " %10.3f %10.3f [%.3f .. %.3f]" % (
                row["cpu_seconds"], row["speedup"], *row["speedup_quartiles"])
        print(line)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="+", metavar="NAME=PROGRAM")
    parser.add_argument("--count-input", metavar="FILE", help="stdin of the counted run")
    parser.add_argument("--count-arguments", default="", metavar="TEXT")
    parser.add_argument("--time-input", metavar="FILE", help="stdin of the timed runs")
    parser.add_argument("--time-arguments", default="", metavar="TEXT")
    parser.add_argument("--rounds", type=int, default=7, help="timed rounds, 0 for none")
    parser.add_argument("--output-filter", metavar="COMMAND",
                        help="compare outputs as this leaves them, as \"sed 's/[0-9.]* ms//'\"")
    parser.add_argument("--no-count", action="store_true", help="do not count instructions")
    parser.add_argument("--json", metavar="FILE", help="the rows, for other programs")
    return parser.parse_args()


def main():
    options = parse_arguments()
    variants = [tuple(v.split("=", 1)) for v in options.variants]
    counted = Workload(shlex.split(options.count_arguments), options.count_input, options.output_filter)
    timed = Workload(shlex.split(options.time_arguments), options.time_input, options.output_filter)
    rows = [{"name": name} for name, _ in variants]

    for workload in (counted, timed):
        digests = {name: output_digest(workload, name, program) for name, program in variants}
        different = [n for n in digests if digests[n] != digests[variants[0][0]]]
        if different:
            fail("another output than %s: %s (if it has times or dates: --output-filter)" %
                 (variants[0][0], ", ".join(different)))
    if not options.no_count:
        if not shutil.which("valgrind"):
            fail("valgrind is not installed: use --no-count or install it")
        for row, count in zip(rows, instructions_of(counted, variants)):
            row["instructions"] = count
    if options.rounds:
        seconds = rounds_of(timed, variants, options.rounds)
        for row in rows:
            row.update(time_row(seconds[row["name"]], seconds[variants[0][0]]))
    print_table(rows, rows[0])
    print("all variants printed the same output")
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"schema_version": 1, "rounds": options.rounds, "variants": rows}, out, indent=2)


main()
