# SPDX-License-Identifier: MIT
"""Ours: how near recordings come to exact counts, by the number of traces and by their depth."""
from ..measure import content, geometric_mean, spread
from ..report import Section, chart, table
from . import similarity

NAME = "accuracy"
TITLE = "Accuracy against number of traces and depth"
SHARES = [1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1]
DEPTHS = [2, 4, 16, 64, 256]


def measure(evaluation, program):
    """traces: [(number of traces, edge score)] of parts of one recording; depths: depth -> scores"""
    binary = evaluation.gcc_base(program)
    exact = evaluation.exact(program, "gcc")["files"]
    interval = evaluation.intervals(program)[0]
    times = similarity.repeats(evaluation, program)

    def scores(name, files):
        return evaluation.step(program, name, [content(binary, *files, *exact), evaluation.version],
                               lambda: evaluation.softlbr.scores(binary, files, exact))

    whole = evaluation.record(program, "gcc", "short", interval, 16, times, "record-short-" + interval)
    traces, files = whole["traces"], whole["files"]
    numbers = sorted({max(1, round(share * len(files))) for share in SHARES})
    by_traces = [(traces * number / len(files), scores("accuracy-%d-files" % number, files[:number])["edge"])
                 for number in numbers]
    depths = {}
    for depth in DEPTHS if evaluation.is_full(program) else []:
        recording = whole if depth == 16 else evaluation.record(
            program, "gcc", "short", interval, depth, times, "record-short-depth-%d" % depth)
        depths[str(depth)] = scores("accuracy-depth-%d" % depth, recording["files"])
    return {"traces": by_traces, "depths": depths}


def present(evaluation, results):
    interval = evaluation.options.intervals[0]
    rows, lines = [], {}
    for program, result in results:
        for number, score in result["traces"]:
            rows.append([program.name, round(number), 100 * score])
        lines[program.name] = [(number, 100 * score) for number, score in result["traces"]]
    shown = dict(list(lines.items())[:6])
    depth_rows, means = [], {level: [] for level in similarity.LEVELS}
    full = [(program, result) for program, result in results if result["depths"]]
    for program, result in full:
        depth_rows.append([program.name] + [100 * result["depths"][str(depth)]["edge"] for depth in DEPTHS])
    if not full:
        return [_by_traces(interval, rows, shown)]
    spreads = [spread([row[1 + index] for row in depth_rows]) for index in range(len(DEPTHS))]
    for level in means:
        for depth in DEPTHS:
            values = [100 * result["depths"][str(depth)].get(level, 0) for _, result in full]
            means[level].append((depth, geometric_mean(values) if all(values) else None))
    depth_rows.append(["geometric mean"] + [mean for _, mean in means["edge"]])
    depth_rows.append(["quartiles"] + ["%.1f to %.1f" % (part["low"], part["high"]) for part in spreads])
    return [
        _by_traces(interval, rows, shown),
        Section("accuracy-depth", "Accuracy against depth",
                "Overlap of edges with exact counts, in percent, by the number of branches in a trace, at "
                "the same sampling interval (%s) and so with about as many traces. A deeper trace has more "
                "branches, and a smaller share of them is near the moment that the timer picked." % interval,
                [table(["program"] + ["depth %d" % depth for depth in DEPTHS], depth_rows)],
                [chart("accuracy-depth", "overlap with truth, per cent", means,
                       "Geometric means over the programs. With look-ahead, deeper traces cost little and "
                       "are more accurate.", lines=True, xlabel="branches per trace", range="*<60:100")])]


def _by_traces(interval, rows, lines):
    return Section(
        "accuracy-traces", "Accuracy against the number of traces",
        "Overlap of edges with exact counts, in percent, for parts of the recording of the short input at "
        "%s, with traces of 16. The plot has the first %d programs." % (interval, len(lines)),
        [table(["program", "traces", "edge overlap, %"], rows)],
        [chart("accuracy-traces", "edge overlap with truth, per cent", lines,
               "Where a line is flat, more traces would not help: the rest is bias. A program with much "
               "code needs more traces than one with a few hot loops.", lines=True, xlabel="traces",
               range="*<60:100")])
