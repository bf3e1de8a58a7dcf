# SPDX-License-Identifier: MIT
"""Break Dancing's Table 3: recording a server of 400 threads."""
import os
import subprocess

from .. import papers, toolchain
from ..measure import spread
from ..program import PROGRAMS
from ..report import Section, chart, table
from ..softlbr import fresh
from ..store import StepFailed
from .collector import shares

NAME = "server"
TITLE = "A server with 400 threads (Break Dancing, Table 3)"
THREADS = 400
# A recording as `softlbr record` makes it when nothing is said: rarer samples, longer traces.
DEFAULT = "default"
ALGORITHMS = {"static": "the paper's algorithm", "full": "look-ahead", DEFAULT: "look-ahead by default"}


def measure_machine(evaluation):
    requests = {"ref": 3000, "train": 600, "short": 60}[evaluation.options.workload]
    directory = os.path.join(evaluation.out, "data", "server")
    server = _Server(os.path.join(directory, "server"), requests, directory)

    def build():
        fresh(directory)
        compiler = toolchain.gcc()
        done = subprocess.run([compiler.cc, "-O2", "-g", "-pthread",
                               os.path.join(PROGRAMS, "data", "server.c"), "-o", server.binary],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise StepFailed("server.c: %s" % done.stdout.strip())
        return {"answers": server.run()[0]}

    expected = evaluation.store.step("machine/server-build", requests, build)["answers"]
    variants = {"plain": _run(server, expected)}
    for interval in evaluation.options.timed_intervals:
        for lookahead in ("static", "full"):
            variants["%s %s" % (lookahead, interval)] = _run(server, expected, evaluation, lookahead,
                                                             interval)
    variants[DEFAULT + " 25ms"] = _run(server, expected, evaluation)
    return evaluation.rounds("machine", "server", [requests, evaluation.options.timed_intervals, DEFAULT,
                                                   evaluation.version], variants, evaluation.options.runs)


class _Server:
    def __init__(self, binary, requests, directory):
        self.binary, self.requests, self.directory = binary, requests, directory

    def run(self, wrapper=None):
        before = os.times()
        command = ([wrapper] if wrapper else []) + [self.binary, str(THREADS), str(self.requests)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        after = os.times()
        if done.returncode:
            raise StepFailed("server: status %d: %s" % (done.returncode, done.stderr.strip()[-300:]))
        cpu = after.children_user - before.children_user + after.children_system - before.children_system
        return done.stdout, cpu


def _run(server, expected, evaluation=None, lookahead=None, interval=None):
    def once():
        wrapper = evaluation and evaluation.softlbr.recorder(
            fresh(os.path.join(server.directory, "record")), lookahead or "full", interval,
            depth=16 if interval else None)
        answers, cpu = server.run(wrapper and wrapper.path)
        if answers != expected:
            raise StepFailed("OUTPUT DIFFERS: the server's answers while recorded")
        statistics = wrapper and evaluation.softlbr.statistics(wrapper)
        return {"cpu": cpu - (statistics["calibration_s"] if statistics else 0), "statistics": statistics}

    return once


def present_machine(result):
    plain = [value["cpu"] for value in result["plain"]]
    rows = []
    for name, values in result.items():
        if name == "plain":
            continue
        lookahead, interval = name.split()
        overhead = spread([100 * (value["cpu"] / base - 1) for value, base in zip(values, plain)])
        times, counters = {}, {}
        for value in values:
            for sums, part in ((times, "time"), (counters, "counters")):
                for key, number in value["statistics"][part].items():
                    sums[key] = sums.get(key, 0) + number
        parts = ["application_s", "breakpoints_s", "decoding_s", "evaluation_s", "sampling_s"]
        total = sum(times.get(part, 0) for part in parts)
        rows.append([interval, ALGORITHMS[lookahead],
                     overhead["median"], "%.1f to %.1f" % (overhead["low"], overhead["high"])] +
                    [100 * times.get(part, 0) / total if total else None for part in parts] +
                    [counters["branches"] / sum(value["cpu"] for value in values),
                     *shares(counters)])
    paper = [["%s branches" % period, "paper", None, None, shares[0], shares[1], shares[2], None, shares[3],
              None, None, None] for period, shares in papers.SERVER.items()]
    series = {}
    for row in rows:
        series.setdefault(row[1], []).append((row[9], max(row[2], 0.1)))
    return [Section(
        "table3", "A server with %d threads (Table 3)" % THREADS,
        "Threads answer look-ups and insertions into shared tables, all at the same time. The columns are "
        "the overhead in CPU time (medians of %d paired rounds, in percent) and its quartiles; shares of "
        "the threads' time; branches recorded per CPU-second; and, in percent, breakpoint-free traces and "
        "traces that were dropped because buffers were full. Traces have 16 branches, by default up to "
        "2,048. The paper's rows are of a datacenter "
        "application on 112 hardware threads, whose contention for breakpoints this machine cannot show." %
        len(plain),
        [table(["interval", "algorithm", "overhead", "quartiles", "application", "breakpoints", "decoding",
                "evaluation", "sampling", "branches per CPU-second", "without a breakpoint",
                "dropped"], rows + paper)],
        [chart("table3", "overhead, per cent", series,
               "Overhead of the server against the branches recorded per CPU-second.",
               lines=True, logy=True, xlabel="taken branches recorded per CPU-second")])]
