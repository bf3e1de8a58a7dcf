# SPDX-License-Identifier: MIT
"""Break Dancing's Tables 4 and 5: similarity of recordings and truth, against the sampling interval."""
import math
import os
import shutil
import subprocess
import sys
import tempfile

from .. import papers
from ..measure import Wrapper, content, geometric_mean
from ..report import Section, chart, table
from ..softlbr import fresh

NAME = "similarity"
TITLE = "Similarity against sampling interval (Break Dancing, Tables 4 and 5)"
LEVELS = ["profile_diff", "line", "edge", "branch"]
PERF = ["perf", "record", "-q", "-b", "-e", "branches:u", "-c", "100003"]
CPU_SECONDS = 3  # of the short workload at each interval, run again and again


def repeats(evaluation, program):
    """How often the short workload runs for as much CPU time as the table has."""
    binary = evaluation.gcc_base(program)
    seconds = evaluation.step(program, "short-seconds", content(binary),
                              lambda: program.run(binary, "short").cpu_seconds)
    budget = evaluation.options.share * CPU_SECONDS
    return max(1, min(30, round(budget / max(seconds, 0.01))))


def noise(traces):
    """What two scores of so many traces may differ by, in points."""
    return max(3, 300 / math.sqrt(max(1, traces)))


def measure(evaluation, program):
    """interval -> scores against exact counts, against hardware's records where there are some, and the
    number of traces"""
    binary = evaluation.gcc_base(program)
    exact = evaluation.exact(program, "gcc")
    hardware = hardware_recording(evaluation, program)
    times = repeats(evaluation, program)
    found = {}
    for interval in evaluation.intervals(program):
        recording = evaluation.record(program, "gcc", "short", interval, 16, times,
                                      "record-short-" + interval)
        found[interval] = {"traces": recording["traces"],
                           "scores": _scores(evaluation, program, recording["files"], exact["files"],
                                             "similarity-" + interval)}
        if hardware:
            found[interval]["hardware"] = _scores(evaluation, program, recording["files"], hardware,
                                                  "similarity-hardware-" + interval)
    return found


def _scores(evaluation, program, files, truth, name):
    binary = evaluation.gcc_base(program)
    return evaluation.step(program, name, [content(binary, *files, *truth), evaluation.version],
                           lambda: evaluation.softlbr.scores(binary, files, truth))


def hardware_recording(evaluation, program):
    """Files of hardware LBR records of the gcc -O2 program: the user's (see --lbr), else perf's if this
    machine has LBR, else none."""
    if evaluation.lbr:
        given = os.path.join(evaluation.lbr, program.name + ".perf.data")
        return [given] if os.path.exists(given) else None
    if not evaluation.store.step("machine/lbr", 1, _has_lbr):
        return None
    binary = evaluation.gcc_base(program)

    def work():
        directory = fresh(evaluation.data(program, "hardware"))
        wrapper = Wrapper(directory, PERF + ["-o", directory + "/@N@.perf.data", "--"])
        outcome = program.run(binary, "short", wrapper.path)
        evaluation.demand_output(program, "gcc", "short", outcome.digest, "a run under perf record -b")
        return wrapper.files("*.perf.data")

    return evaluation.step(program, "hardware", content(binary), work)


def _has_lbr():
    """Whether perf records taken branches of user space here, and they are not empty."""
    perf = shutil.which("perf")
    if not perf:
        return False
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "perf.data")
        done = subprocess.run(PERF + ["-o", path, "--", sys.executable, "-c", "sum(range(10 ** 7))"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode or not os.path.exists(path):
            return False
        text = subprocess.run(["perf", "script", "-F", "brstack", "-i", path], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout
    return "/" in text


def present(evaluation, results):
    sections = [_section(
        evaluation, results, "scores", "table4",
        "Similarity with exact counts, against sampling interval (Tables 4 and 5)",
        "Overlap in percent between recordings of repeated runs of the short input and callgrind's exact "
        "counts of it. Truth is a stricter reference than another sampler. ")]
    with_hardware = [(program, found) for program, found in results
                     if any("hardware" in entry for entry in found.values())]
    if with_hardware:
        sections.append(_section(
            evaluation, with_hardware, "hardware", "table4-hardware",
            "Similarity with hardware LBR, against sampling interval (Tables 4 and 5)",
            "Overlap in percent between recordings of the short input and hardware recordings of it. "))
    return sections


def _noises(results, intervals):
    return [noise(min(found[interval]["traces"] for _, found in results if interval in found))
            for interval in intervals]


def _section(evaluation, results, judge, name, title, text):
    intervals = evaluation.options.intervals
    rows, means, series, by_interval = [], {}, {}, {}
    for program, found in results:
        row = [program.name, program.about["spec"]]
        is_complete = all(interval in found for interval in intervals)
        for level in LEVELS:
            for interval in intervals:
                score = found[interval].get(judge, {}).get(level) if interval in found else None
                value = None if score is None else 100 * score
                row.append(value)
                if value is not None:
                    means.setdefault((level, interval), []).append(value)
                    if is_complete:
                        by_interval.setdefault(level, {}).setdefault(interval, []).append(value)
                if interval == intervals[0]:
                    series.setdefault(level, []).append((program.name, value))
        rows.append(row + [found[intervals[0]]["traces"] if intervals[0] in found else None])
    rows.append(["geometric mean", ""] +
                [geometric_mean(means[level, interval]) if (level, interval) in means else None
                 for level in LEVELS for interval in intervals] + [None])
    paper = [[row] + list(papers.SIMILARITY_INTEL[row]) + list(papers.SIMILARITY_AMD[row])
             for row in papers.rows_of(program for program, _ in results)]
    paper.append(["geometric mean of the paper's 19"] + list(papers.SIMILARITY_INTEL_MEAN) +
                 list(papers.SIMILARITY_AMD_MEAN))
    return Section(
        name, title,
        text + "profile_diff: the weights of functions, as AutoFDO's tool of that name and the paper have "
        "them. line: source lines within inline stacks. edge and branch: of the machine code (see "
        "docs/scores.md). The second table is the paper's: software traces on Intel and on AMD against "
        "hardware LBR on Intel, by profile_diff, from five runs of ref inputs (many more traces than here: "
        "at 4 ms these recordings have a thousand).",
        [table(["program", "SPEC row"] + ["%s, %s" % (level, interval) for level in LEVELS
                                          for interval in intervals] +
               ["traces at %s" % intervals[0]], rows,
               noise=[None, None] + _noises(results, intervals) * len(LEVELS) + [None]),
         table(["SPEC row"] + ["%s, %s" % (machine, interval) for machine in ("Intel", "AMD")
                               for interval in papers.INTERVALS], paper, digits=2)],
        [chart(name, "overlap at %s, per cent" % intervals[0], series,
               "The more detail a level has, the more samples it needs."),
         chart(name + "-intervals", "overlap, per cent",
               {level: [(interval, geometric_mean(values)) for interval, values in found.items()]
                for level, found in by_interval.items()},
               "Geometric means over the programs that ran at all intervals: the loss to the right is "
               "caused by fewer traces.")])
