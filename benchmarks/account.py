#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""account.py SOFTLBR [--rounds N] [--programs NAMES] [--record OPTIONS]: is what `softlbr record` says that it cost true?

Runs programs in quads (plain, recorded, recorded, plain), so that a machine whose speed changes does so for both, and
prints the CPU time that recording added (user and system by wait4, the recorder's included) in percent of the plain
runs', mean of the quads with its standard error, beside the mean of what the recordings said. Five are ordinary
programs; those of calls.c (cmake --build build --target calls) do little but what is dear under a collector.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

import collector

CALLS = {"mask-all": 1000000, "mask-handled": 100000, "mask-trap": 1000000, "threads": 10000, "forks": 1000,
         "plain": 300000000}


def ordinary(directory):
    commands = collector.programs(directory)
    commands["lua"].append("30000000")
    commands["python3"].append("25")
    commands["xz"] = ["xz", "-6", "-k", "-c", "-T1", os.path.join(directory, "blob")]
    with open(os.path.join(directory, "blob"), "r+b") as blob:
        blob.truncate(16000000)
    return commands


def cpu_seconds(command):
    """User and system time, and what it wrote to standard error."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    text = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        sys.exit("%s: status %d: %s" % (command, process.returncode, text))
    return usage.ru_utime + usage.ru_stime, text


def said(text):
    found = re.search(r"at ([\d.]+) % overhead", text)
    return float(found[1]) if found else float("nan")


def quad(command, record):
    """Added percent, the mean of what was said, and samples."""
    plain = cpu_seconds(command)[0]
    first, first_text = cpu_seconds(record + command)
    second, second_text = cpu_seconds(record + command)
    plain += cpu_seconds(command)[0]
    samples = re.search(r"(\d+) samples?", first_text)
    return 100 * ((first + second) / plain - 1), (said(first_text) + said(second_text)) / 2, int(samples[1]), plain / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("softlbr")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--programs")
    parser.add_argument("--record", default="", help="options of softlbr record")
    arguments = parser.parse_args()
    calls = os.path.join(os.path.dirname(os.path.abspath(arguments.softlbr)), "benchmarks", "calls")
    print("%-14s %10s %16s %16s %8s" % ("", "plain, s", "added, %", "said, %", "samples"))
    with tempfile.TemporaryDirectory() as directory:
        commands = ordinary(directory)
        commands.update({name: [calls, name, str(times)] for name, times in CALLS.items()})
        record = [arguments.softlbr, "record", "-o", os.path.join(directory, "data"), *arguments.record.split(), "--"]
        for name in arguments.programs.split(",") if arguments.programs else commands:
            quads = [quad(commands[name], record) for _ in range(arguments.rounds)]
            added, told, samples, plain = zip(*quads)
            error = statistics.stdev(added) / len(added) ** 0.5 if len(added) > 1 else float("nan")
            print("%-14s %10.2f %8.1f +- %4.1f %16.1f %8.0f" % (
                name, statistics.mean(plain), statistics.mean(added), error, statistics.mean(told),
                statistics.mean(samples)), flush=True)


main()
