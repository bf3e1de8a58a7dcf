#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""collector.py SOFTLBR [--rounds N] [--programs NAMES] [--json FILE]: what recording costs.

Runs each program plain and under `softlbr record` in several modes, interleaved, order reversed every
other round. Cost = CPU time (user and system, recorder included) above the plain run of the same round;
medians over the rounds. Modes: static is Break Dancing's Algorithm 1 at depth 16, the baseline; full is
look-ahead at depth 16 and 64; light-256 is look-ahead at depth 256 with fewer samples, at most 2 % of the
program's time; floor samples as often as full but records nothing (--delay), so it is the cost of the
samples themselves.
"""
import argparse
import json
import math
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

LUA = """
local t, s = {}, 0
local function f(n) if n < 2 then return n end return f(n - 1) + f(n - 2) end
for i = 1, tonumber(arg[1] or 90000000) do t[i % 4096] = (t[i % 4096] or 0) + i % 7; if t[i % 4096] % 5 == 0 then s = s + 1 end end
local words = {}
for w in (("the quick brown fox jumps over the lazy dog "):rep(300000)):gmatch("%a+") do
  words[w] = (words[w] or 0) + 1
end
print(s, f(32), words.fox)
"""
PYTHON = """
import json, re, sys
data = [{"key": i, "list": [str(j * i) for j in range(i % 13)]} for i in range(20000)]
for turn in range(int((sys.argv + [80])[1])):
    text = json.dumps(data)
    back = json.loads(text)
    print(len(re.findall(r'"\\d*7"', text)), sum(len(d["list"]) for d in back))
    counts = {}
    for d in back:
        for s in d["list"]:
            counts[s[-2:]] = counts.get(s[-2:], 0) + 1
    print(sorted(counts.items())[:3])
"""
PERL = """
my (%h, $s);
for my $turn (1 .. 4) {
  %h = ();
  for my $i (1 .. 8000000) { $h{$i % 5003} .= chr(97 + $i % 26) if $i % 3; }
  for my $k (sort keys %h) { $s += () = $h{$k} =~ /[aeiou][^aeiou]+/g; }
}
print "$s\\n";
"""


def programs(directory):
    """Name -> command; inputs are made in the directory."""
    blob = os.path.join(directory, "blob")
    with open(blob, "wb") as file:
        value = 12345
        for _ in range(6000000):
            value = (value * 1103515245 + 12345) & 0x7fffffff
            file.write(b"%d %s\\n" % (value >> 20, b"abcdefghij"[value % 7:]))
    for name, text in (("work.lua", LUA), ("work.py", PYTHON), ("work.pl", PERL)):
        with open(os.path.join(directory, name), "w") as file:
            file.write(text)
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    return {
        "bzip2": ["bzip2", "-9", "-k", "-c", blob],
        "lua": [shutil.which("lua5.4") or "lua", os.path.join(directory, "work.lua")],
        "python3": [python, os.path.join(directory, "work.py")],
        "perl": ["perl", os.path.join(directory, "work.pl")],
    }


def modes(softlbr, data, period, static_period, light_period):
    record = [softlbr, "record", "-v", "-e", "task-clock", "-o", data, "--audit", "64"]
    return {
        "static-16": record + ["--lookahead", "static", "-n", "16", "-c", static_period, "--"],
        "full-16": record + ["--lookahead", "full", "-n", "16", "-c", period, "--"],
        "full-64": record + ["--lookahead", "full", "-n", "64", "-c", period, "--"],
        "light-256": record + ["--lookahead", "full", "-n", "256", "-c", light_period, "--"],
        "floor": record + ["-n", "1", "-c", period, "--"],
    }


def run(command):
    """CPU seconds, traces and branches of a run; audits."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, PYTHONHASHSEED="0"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit("%s: status %d: %s" % (command, done.returncode, done.stderr))
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    # versions.py runs builds, too, that said "traces" here
    found = re.search(r"^softlbr: .*?(\d+) (?:samples?|traces), (\d+) taken branches", done.stderr, re.MULTILINE)
    wrong = re.search(r"(\d+) of (\d+) audited", done.stderr)
    return cpu, *(int(n) for n in (found.groups() if found else (0, 0))), \
        tuple(int(n) for n in wrong.groups()) if wrong else (0, 0)


def measure(name, command, variants, rounds):
    plain, rows, audits = [], {mode: [] for mode in variants}, {mode: [0, 0] for mode in variants}
    for turn in range(rounds):
        order = [None] + list(variants)
        results = {}
        for mode in order if turn % 2 else reversed(order):
            results[mode] = run((variants[mode] if mode else []) + command)
        base = results.pop(None)[0]
        plain.append(base)
        for mode, (cpu, traces, branches, wrong) in results.items():
            rows[mode].append((cpu - base, cpu, traces, branches))
            audits[mode] = [a + b for a, b in zip(audits[mode], wrong)]
    result = {"program": name, "plain_s": statistics.median(plain), "modes": {}}
    for mode, values in rows.items():
        extra = statistics.median(v[0] for v in values)
        traces, branches = (statistics.median(v[i] for v in values) for i in (2, 3))
        result["modes"][mode] = {
            "overhead_percent": 100 * extra / result["plain_s"],
            "traces": traces, "branches": branches,
            "us_per_trace": 1e6 * extra / traces if traces else None,
            "us_per_branch": 1e6 * extra / branches if branches else None,
            "branches_per_cpu_second": branches / result["plain_s"],
            "audits": audits[mode][1], "audits_wrong": audits[mode][0],
        }
    return result


def show(result):
    print("%s: %.2f s of CPU time alone" % (result["program"], result["plain_s"]))
    for mode, m in result["modes"].items():
        print("  %-9s overhead %6.2f %%  %7.1f us per trace  %7.2f us per branch  %8.0f branches/s  "
              "%d of %d audits wrong" %
              (mode, m["overhead_percent"], m["us_per_trace"] or 0, m["us_per_branch"] or 0,
               m["branches_per_cpu_second"], m["audits_wrong"], m["audits"]))


def geometric(values):
    return math.exp(sum(math.log(max(v, 1e-9)) for v in values) / len(values))


def summary(results):
    def ratios(mode, unit):
        return [r["modes"]["static-16"][unit] / r["modes"][mode][unit] for r in results]

    floor = [r["modes"]["full-16"]["us_per_trace"] / r["modes"]["floor"]["us_per_trace"] for r in results]
    print("full-16 is %.1f times the floor, the cost of a trace of one branch (geometric mean), %.1f at worst" %
          (geometric(floor), max(floor)))
    light = [r["modes"]["light-256"] for r in results]
    print("light-256: at most %.2f %% overhead, at least %.0f taken branches per CPU-second" %
          (max(m["overhead_percent"] for m in light), min(m["branches_per_cpu_second"] for m in light)))
    for mode, unit, what in (("full-16", "us_per_trace", "trace"), ("full-64", "us_per_branch", "branch")):
        values = ratios(mode, unit)
        print("%s against static-16, per %s: 1/%.1f (geometric mean), 1/%.1f (worst)" %
              (mode, what, geometric(values), min(values)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("softlbr")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--period", default="1ms")
    parser.add_argument("--static-period", default="4ms")
    parser.add_argument("--light-period", default="14ms")
    parser.add_argument("--programs", default="bzip2,lua,python3,perl")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as directory:
        commands = programs(directory)
        variants = modes(arguments.softlbr, os.path.join(directory, "perf.data"), arguments.period,
                         arguments.static_period, arguments.light_period)
        for name in arguments.programs.split(","):
            results.append(measure(name, commands[name], variants, arguments.rounds))
            show(results[-1])
    summary(results)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
