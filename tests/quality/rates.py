#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rates.py SOFTLBR DIRECTORY PROGRAM...: what rates.sh has built, recorded and scored; prints the table.

DIRECTORY/PROGRAM holds `program`, `input`, `arguments` and `callgrind.out`. Each round runs the program
under each way of recording so often that it takes SECONDS of processor time, and as often as it is in between
(pairs.py); overhead is the median of what recording adds to that, with its standard error, and the recorder's
own time.
"""
import json
import math
import os
import re
import statistics
import subprocess
import sys

ROUNDS = int(os.environ.get("RATES_ROUNDS", 2))
SECONDS = float(os.environ.get("RATES_SECONDS", 15))
# way of recording -> options, and which --frequencies are scored
RECORDINGS = {
    "short": (["-n", "16", "-c", "1ms", "--timer-correction=off"], {"raw": "raw", "reweight": "reweight", "chain": "chain"}),
    "model": (["--timer-correction=model"], {"model": "auto"}),
    "auto": ([], {"long": "raw", "probe": "auto", "probe+chain": "chain"}),
    "outside": (["--outside=always"], {"outside": "auto"}),
}
WAYS = ["raw", "reweight", "chain", "long", "model", "probe", "probe+chain", "outside"]
SCORES = ["branch", "edge", "function", "within", "ratio"]


def environment(directory):
    library = os.path.join(directory, "source", "Lib")
    return dict(os.environ, PYTHONHASHSEED="0", PYTHONMALLOC="malloc",
                **({"PYTHONPATH": library} if os.path.isdir(library) else {}))


def record(softlbr, directory):
    """Recordings and the overhead of each way."""
    arguments = open(os.path.join(directory, "arguments")).read().strip()
    pairs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs.py")
    added = {name: [] for name in RECORDINGS}
    recorder = {name: [] for name in RECORDINGS}
    traces = {name: 0 for name in RECORDINGS}
    wrong = 0
    for number in range(ROUNDS):
        for name, (options, _) in RECORDINGS.items():
            said = subprocess.run([softlbr, "record", "-v", "-e", "task-clock", "-o", "%s.%d.data" % (name, number)] +
                                  options +
                                  ["--", "python3", pairs, "pairs.json", str(SECONDS), "./program %s <input" % arguments],
                                  cwd=directory, env=environment(directory), stderr=subprocess.PIPE, text=True)
            if said.returncode:
                sys.exit("%s: %s" % (directory, said.stderr))
            measured = json.load(open(os.path.join(directory, "pairs.json")))
            added[name] += measured["added"]
            recorder[name].append(measured["recorder"])
            traces[name] += int(re.search(r": (\d+) samples?", said.stderr)[1])
            audited = re.search(r"(\d+) of \d+ audited", said.stderr)
            wrong += int(audited[1]) if audited else 0
    return {"added": added, "recorder": {n: statistics.mean(v) for n, v in recorder.items()}, "traces": traces,
            "wrong": wrong}


def overhead(result, recording):
    """median of all quads and the recorder's share, standard error of the median (from the quartiles, as if normal)"""
    values, own = result["added"][recording], result["recorder"][recording]
    if len(values) < 2:
        return values[0] + own, math.inf
    low, middle, high = statistics.quantiles(values, n=4)
    return middle + own, 1.25 * (high - low) / 1.35 / math.sqrt(len(values))


def score(softlbr, directory, recording, frequencies):
    profiles = []
    for number in range(ROUNDS):
        profiles += ["--profile", "%s.%d.data" % (recording, number)]
    subprocess.run([softlbr, "convert", "--force", "--binary", "program", "--frequencies=" + frequencies, "--to",
                    "preagg=estimate"] + profiles, cwd=directory, stderr=subprocess.DEVNULL)
    text = subprocess.run([softlbr, "diff", "estimate", "callgrind.out", "--binary", "program", "--no-confidence"],
                          cwd=directory, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {level: float(re.search(r"^%s +([\d.]+) %%" % level, text, re.M)[1]) for level in SCORES[:-1]}
    found["ratio"] = float(re.search(r"differ by ([\d.]+) points", text)[1])
    return found


def measure(softlbr, directory):
    result = record(softlbr, directory)
    result["scores"] = {}
    for recording, (_, ways) in RECORDINGS.items():
        for way, frequencies in ways.items():
            result["scores"][way] = score(softlbr, directory, recording, frequencies)
    with open(os.path.join(directory, "result.json"), "w") as f:
        json.dump(result, f)


def print_table(results):
    titles = {"branch": "overlap of taken branches", "edge": "overlap of edges", "function": "overlap of functions",
              "within": "overlap within functions", "ratio": "error of taken ratios, points"}
    for level in SCORES:
        print("%-30s" % titles[level], *("%*s" % (max(9, len(w) + 1), w) for w in WAYS))
        rows = [(p, [r["scores"][w][level] for w in WAYS]) for p, r in results.items()]
        if len(rows) > 1:
            rows.append(("mean", [statistics.mean(c) for c in zip(*(v for _, v in rows))]))
        for program, values in rows:
            print("  %-28s" % program, *("%*.2f" % (max(9, len(w) + 1), v) for w, v in zip(WAYS, values)))
        print()
    print("%-30s" % "overhead in %, and traces", *("%20s" % r for r in RECORDINGS))
    rows = {p: [overhead(r, n) for n in RECORDINGS] for p, r in results.items()}
    for program, r in results.items():
        print("  %-28s" % program, *("%6.1f +- %3.1f %6d" % (*v, r["traces"][n]) for v, n in zip(rows[program], RECORDINGS)))
    columns = list(zip(*rows.values()))
    print("  %-28s" % "mean", *("%6.1f +- %3.1f %6s" % (
        statistics.mean(v for v, _ in c), math.sqrt(sum(e * e for _, e in c)) / len(c), "") for c in columns))


def check(results):
    """The floors."""
    failed = []
    for program, r in results.items():
        auto, raw = r["scores"]["probe"], r["scores"]["raw"]
        if auto["branch"] < raw["branch"] - 1:
            failed.append("%s is below raw" % program)
        if r["wrong"]:
            failed.append("%s: %d traces were wrong" % (program, r["wrong"]))
    mean = {level: statistics.mean(r["scores"]["probe"][level] for r in results.values()) for level in SCORES}
    for level, floor in (("branch", 90), ("within", 94)):
        if mean[level] < floor:
            failed.append("the mean of %s is %.1f" % (level, mean[level]))
    if mean["ratio"] > 1.5:
        failed.append("the error of taken ratios is %.2f" % mean["ratio"])
    return failed


def main():
    softlbr, directory, programs = sys.argv[1], sys.argv[2], sys.argv[3:]
    results = {}
    for program in programs:
        path = os.path.join(directory, program)
        if not os.path.exists(os.path.join(path, "result.json")):
            measure(softlbr, path)
        results[program] = json.load(open(os.path.join(path, "result.json")))
    print_table(results)
    failed = check(results)
    for f in failed:
        print("FAIL:", f)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
