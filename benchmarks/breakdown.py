#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""breakdown.py SOFTLBR [--rounds N] [--period TIME] [--programs NAMES] [--plot FILE.svg|png]

Where the time of a recorded program goes, as in Break Dancing's Figure 3: application, breakpoints,
decoding, evaluation and sampling, from `softlbr record --stats`, summed over the rounds. The programs are
those of collector.py; the modes are the paper's algorithm (static) and look-ahead (full).
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import collector

PARTS = ("application", "sampling", "evaluation", "decoding", "breakpoints")
COLOURS = ("#d9d9d9", "#1f78b4", "#33a02c", "#ff9f1c", "#e31a1c")
MODES = (("static", "16"), ("full", "16"), ("full", "64"), ("full", "auto"))


def record(softlbr, directory, mode, depth, period, command):
    stats = os.path.join(directory, "stats.json")
    done = subprocess.run(
        [softlbr, "record", "-e", "task-clock", "-c", period, "--lookahead", mode, "-n", depth, "--stats",
         stats, "-o", os.path.join(directory, "perf.data"), "--"] + command,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("%s: status %d: %s" % (command, done.returncode, done.stderr))
    with open(stats) as file:
        return json.load(file)


def measure(arguments, directory, commands):
    rows = {}
    for _ in range(arguments.rounds):
        for name in arguments.programs.split(","):
            for mode, depth in MODES:
                stats = record(arguments.softlbr, directory, mode, depth, arguments.period, commands[name])
                row = rows.setdefault((name, mode, depth), dict.fromkeys(PARTS + ("traces", "branches", "hits"), 0))
                for part in PARTS:
                    row[part] += stats["time"][part + "_s"]
                for counter in ("traces", "branches", "hits"):
                    row[counter] += stats["counters"][counter]
    return rows


def show(rows):
    print("%-8s %-10s " % ("", "") + " ".join("%11s" % part for part in PARTS) + "   us/trace  us/branch  hits/trace")
    for (name, mode, depth), row in rows.items():
        total = sum(row[part] for part in PARTS)
        spent = 1e6 * (total - row["application"])
        print("%-8s %-10s " % (name, mode + "-" + depth) +
              " ".join("%10.2f%%" % (100 * row[part] / total) for part in PARTS) +
              "   %8.1f  %9.2f  %10.2f" % (spent / row["traces"], spent / row["branches"],
                                          row["hits"] / row["traces"]))


def plot(rows, path):
    """Stacked bars of what recording adds, in per cent of the application's time."""
    terminal = "svg size 900,460 background 'white' font 'sans-serif,13'"
    if path.endswith(".png"):
        terminal = "pngcairo size 1350,690 background 'white' font 'sans-serif,18'"
    lines = ["set terminal %s noenhanced" % terminal, "set output '%s'" % path, "$data << end"]
    last = None
    for (name, mode, depth), row in rows.items():
        if last not in (None, name):
            lines.append('"" 0 0 0 0')
        last = name
        lines.append('"%s %s-%s" ' % (name, mode, depth) +
                     " ".join("%.4f" % (100 * row[part] / row["application"]) for part in PARTS[1:]))
    lines += ["end", "set style data histograms", "set style histogram rowstacked", "set boxwidth 0.8",
              "set style fill solid noborder", "set grid ytics", "set xtics rotate by -40 nomirror",
              "set ylabel 'CPU time, % of the application'", "set key outside top center horizontal", "set yrange [0:*]",
              "plot " + ", ".join("$data using %d:xtic(1) title '%s' linecolor rgb '%s'" % (i + 2, part, colour)
                                  for i, (part, colour) in enumerate(zip(PARTS[1:], COLOURS[1:])))]
    subprocess.run(["gnuplot"], input="\n".join(lines) + "\n", text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("softlbr")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--period", default="4ms")
    parser.add_argument("--programs", default="bzip2,lua,python3,perl")
    parser.add_argument("--plot")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        rows = measure(arguments, directory, collector.programs(directory))
    show(rows)
    if arguments.plot:
        plot(rows, arguments.plot)


main()
