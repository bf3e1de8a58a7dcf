# SPDX-License-Identifier: MIT
"""Ours: size of recordings, time to convert them, share of traces without a breakpoint, audits."""
import time

from ..report import Section, table
from ..measure import content, geometric_mean

NAME = "collector"
TITLE = "Recordings and their conversion"


def measure(evaluation, program):
    binary = evaluation.gcc_base(program)
    recording = evaluation.record(program, "gcc", evaluation.options.workload, "1ms", 16,
                                  name="record-collector", stats=True)

    def work():
        start = time.monotonic()
        path = evaluation.data(program, "collector.preagg")
        evaluation.softlbr.convert(binary, recording["files"],
                                   {"preagg": path, "gcov": path + ".gcov"})
        return time.monotonic() - start

    return {"recording": recording,
            "seconds": evaluation.step(program, "collector-convert",
                                       [content(binary, *recording["files"]), evaluation.version],
                                       work)}


def shares(counters):
    """Of all traces, written or dropped, in per cent: those without a breakpoint, those dropped."""
    made = max(1, counters["traces"] + counters["dropped"])
    return [100 * counters["breakpoint_free"] / made, 100 * counters["dropped"] / made]


def present(evaluation, results):
    rows, sizes = [], []
    wrong = audits = 0
    for program, result in results:
        statistics, cpu = result["recording"]["statistics"], result["recording"]["cpu_seconds"]
        counters = statistics["counters"]
        sizes.append(statistics["bytes"] / cpu)
        wrong += counters["audits_wrong"]
        audits += counters["audits"]
        rows.append([program.name, counters["traces"], counters["branches"] / cpu,
                     statistics["bytes"] / cpu / 1024, 1000 * result["seconds"],
                     *shares(counters), counters["audits"],
                     counters["audits_wrong"]])
    rows.append(["geometric mean or sum", None, None, geometric_mean(sizes) / 1024, None, None, None, audits,
                 wrong])
    return [Section(
        "ours", "Recordings and their conversion",
        "Recorded at an interval of 1 ms of CPU time, with traces of 16. An audit compares the end of one "
        "trace in 64 with the running program.",
        [table(["program", "traces", "branches per CPU-second", "KiB of perf.data per CPU-second",
                "converted in, ms", "traces without a breakpoint, %", "dropped, %", "audits",
                "wrong"], rows)], [])]
