# SPDX-License-Identifier: MIT
"""Break Dancing's Table 3: recording a server of 400 threads."""
import os
import subprocess

from .. import papers, toolchain
from ..measure import interleaved, spread
from ..program import PROGRAMS
from ..report import Section, table
from ..softlbr import fresh
from ..store import StepFailed

NAME = "server"
TITLE = "A server with 400 threads (Break Dancing, Table 3)"
THREADS = 400


def measure_machine(evaluation):
    requests = {"ref": 3000, "train": 600, "short": 60}[evaluation.options.workload]
    intervals, runs = evaluation.options.intervals, evaluation.options.runs

    def work():
        directory = fresh(os.path.join(evaluation.out, "data", "server"))
        binary = os.path.join(directory, "server")
        compiler = toolchain.gcc()
        done = subprocess.run([compiler.cc, "-O2", "-g", "-pthread",
                               os.path.join(PROGRAMS, "data", "server.c"), "-o", binary],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise StepFailed("server.c: %s" % done.stdout.strip())
        server = _Server(binary, requests, directory)
        variants = {"plain": server.run}
        for interval in intervals:
            for lookahead in ("static", "full"):
                variants["%s %s" % (lookahead, interval)] = _recorded(evaluation, server, lookahead,
                                                                      interval)
        rounds = interleaved(variants, runs)
        outputs = {output for values in rounds.values() for output, _, _ in values}
        if len(outputs) != 1:
            raise StepFailed("OUTPUT DIFFERS: the server's answers under recording")
        return {name: {"cpu": [cpu for _, cpu, _ in values],
                       "statistics": [statistics for _, _, statistics in values if statistics]}
                for name, values in rounds.items()}

    return evaluation.store.step("machine/server", [requests, intervals, runs, evaluation.version], work)


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
        return done.stdout, cpu, None


def _recorded(evaluation, server, lookahead, interval):
    def once():
        directory = fresh(os.path.join(server.directory, "record"))
        wrapper = evaluation.softlbr.recorder(directory, lookahead, interval)
        output, cpu, _ = server.run(wrapper.path)
        return output, cpu, evaluation.softlbr.statistics(wrapper)

    return once


def present_machine(result):
    rows = []
    for name, values in result.items():
        if name == "plain":
            continue
        lookahead, interval = name.split()
        overhead = spread([100 * (cpu / plain - 1)
                           for cpu, plain in zip(values["cpu"], result["plain"]["cpu"])])
        times = {}
        for statistics in values["statistics"]:
            for part, value in statistics["time"].items():
                times[part] = times.get(part, 0) + value
        parts = ["application_s", "breakpoints_s", "decoding_s", "evaluation_s", "sampling_s"]
        total = sum(times.get(part, 0) for part in parts)
        traces = sum(statistics["counters"]["traces"] for statistics in values["statistics"])
        rows.append([interval, lookahead, overhead["median"]] +
                    [100 * times.get(part, 0) / total if total else None for part in parts] +
                    [traces // max(1, len(values["statistics"]))])
    paper = [["%s branches" % period, "paper", None, shares[0], shares[1], shares[2], None, shares[3],
              None] for period, shares in papers.SERVER.items()]
    return [Section(
        "table3", "A server with %d threads (Table 3)" % THREADS,
        "Threads answer look-ups and insertions into shared tables, all at once. Overhead is of CPU time, "
        "medians of paired rounds, in per cent; then shares of the threads' time. The paper's rows are of "
        "a datacenter application on 112 hardware threads: its contention for breakpoints cannot be had "
        "on this machine.",
        [table(["interval", "algorithm", "overhead", "application", "breakpoints", "decoding",
                "evaluation", "sampling", "traces per run"], rows + paper)], [])]
