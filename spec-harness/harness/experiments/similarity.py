# SPDX-License-Identifier: MIT
"""Break Dancing's Tables 4 and 5: similarity of recordings and truth, against the sampling interval."""
from .. import papers
from ..measure import geometric_mean
from ..report import Section, chart, table

NAME = "similarity"
TITLE = "Similarity against sampling interval (Break Dancing, Tables 4 and 5)"
LEVELS = ["function", "line", "edge", "branch"]
CPU_SECONDS = 5  # of the short workload at each interval, run again and again


def repeats(evaluation, program):
    """How often the short workload runs for as much CPU time as the table has."""
    binary = evaluation.gcc_base(program)
    seconds = evaluation.step(program, "short-seconds", binary,
                              lambda: program.run(binary, "short").cpu_seconds)
    budget = CPU_SECONDS if evaluation.options.workload == "ref" else CPU_SECONDS / 5
    return max(1, min(40, round(budget / max(seconds, 0.01))))


def measure(evaluation, program):
    binary = evaluation.gcc_base(program)
    exact = evaluation.exact(program, "gcc")
    times = repeats(evaluation, program)
    found = {}
    for interval in evaluation.intervals(program):
        recording = evaluation.record(program, "gcc", "short", interval, 16, times,
                                      "record-short-" + interval)

        def work(recording=recording):
            return evaluation.softlbr.scores(binary, recording["files"], exact["files"])

        scores = evaluation.step(program, "similarity-" + interval,
                                 [recording["files"], exact["files"], evaluation.version], work)
        found[interval] = {"scores": scores,
                           "traces": recording["statistics"]["counters"]["traces"]}
    return found


def present(evaluation, results):
    intervals = evaluation.options.intervals
    rows, means, series = [], {}, {}
    for program, found in results:
        row = [program.name, program.about["spec"]]
        for level in LEVELS:
            for interval in intervals:
                score = found[interval]["scores"].get(level) if interval in found else None
                value = None if score is None else 100 * score
                row.append(value)
                if value is not None:
                    means.setdefault((level, interval), []).append(value)
                if interval == intervals[0]:
                    series.setdefault(level, []).append((program.name, value))
        row += [papers.SIMILARITY_INTEL.get(program.about["spec"]),
                papers.SIMILARITY_AMD.get(program.about["spec"])]
        rows.append(row)
    rows.append(["geometric mean", ""] +
                [geometric_mean(means[level, interval]) if (level, interval) in means else None
                 for level in LEVELS for interval in intervals] + list(papers.SIMILARITY_MEAN))
    return [Section(
        "table4", "Similarity with exact counts, against sampling interval (Tables 4 and 5)",
        "Overlap in per cent between recordings of the short input, run again and again, and callgrind's "
        "exact counts of it. function: AutoFDO's profile_diff, the paper's score; line: source lines "
        "within inline stacks; edge and branch: of the machine code (see docs/scores.md). The paper "
        "compares with hardware LBR, its last columns: software traces on Intel and on AMD at 500k. "
        "Truth is a harder judge than another sampler.",
        [table(["program", "SPEC row"] + ["%s, %s" % (level, interval) for level in LEVELS
                                          for interval in intervals] +
               ["paper, Intel", "paper, AMD"], rows, noise=5)],
        [chart("table4", "overlap with truth at %s, per cent" % intervals[0], series,
               "The more detail a level has, the more samples it needs.")])]
