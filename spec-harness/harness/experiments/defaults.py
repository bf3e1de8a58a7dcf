# SPDX-License-Identifier: MIT
"""Ours: what a user gets who gives no options. Two recordings of 20 s of the training input and one of 3 s, against
exact counts of it."""
from ..measure import arithmetic_mean, content
from ..report import Section, chart, table

NAME = "defaults"
TITLE = "Recordings by default options against exact counts"
KIND = "counters"  # the builds of counters.py, which has the exact counts of their training input, too
SECONDS, SHORT_SECONDS = 20, 3
LEVELS = ["branch", "function", "within"]
RAW = ["--frequencies=raw"]


def measure(evaluation, program):
    """scores: what -> level -> overlap with exact counts, 0 to 1; halves: the overlap of both recordings with each
    other; traces and overhead (per cent, by the recorder's own account) of both."""
    binary = evaluation.base(program, KIND)
    exact = evaluation.exact(program, KIND, "train")["files"]
    share = evaluation.options.share

    def record(seconds, number):
        return evaluation.record_for(share * seconds, program, KIND, "train",
                                     "defaults-record-%d-%d" % (seconds, number))

    def scores(name, files, truth, options=()):
        return evaluation.step(program, "defaults-" + name,
                               [content(binary, *files, *truth), *options, evaluation.version],
                               lambda: evaluation.softlbr.scores(binary, files, truth, options))

    both = [record(SECONDS, number) for number in (1, 2)]
    first, second = (recording["files"] for recording in both)
    found = {"first": scores("first", first, exact), "second": scores("second", second, exact),
             "first, raw": scores("first-raw", first, exact, RAW),
             "second, raw": scores("second-raw", second, exact, RAW),
             "both": scores("both", first + second, exact),
             "short": scores("short", record(SHORT_SECONDS, 1)["files"], exact)}
    return {"scores": found, "halves": scores("halves", first, second)["branch"],
            "traces": sum(recording["traces"] for recording in both),
            "overhead": arithmetic_mean([recording["overhead"] for recording in both])}


def present(evaluation, results):
    rows = []
    for program, result in results:
        scores = result["scores"]
        by_level = [50 * (scores["first"][level] + scores["second"][level]) for level in LEVELS]
        rows.append([program.name, result["traces"],
                     50 * (scores["first, raw"]["branch"] + scores["second, raw"]["branch"]), *by_level,
                     100 * scores["both"]["branch"], 100 * scores["short"]["branch"], 50 * (1 - result["halves"]),
                     result["overhead"]])
    rows.append(["mean"] + [arithmetic_mean([row[column] for row in rows]) for column in range(1, len(rows[0]))])
    heads = ["program", "traces of both", "unweighted", "branches", "functions", "within functions",
             "both as one", "%d s" % SHORT_SECONDS, "noise", "overhead, %"]
    series = {heads[column]: [(row[0], row[column]) for row in rows[:-1]] for column in (2, 3)}
    return [Section(
        "defaults", TITLE,
        "Two recordings of %d s of CPU time of the training input by default options, and one of %d s, against "
        "callgrind's counts of the same program and input. In percent: the mean of both recordings' overlaps of taken "
        "branches, without weights (--frequencies=raw) and by default; of functions, and within functions; of both "
        "recordings as one; of the short one, by default. Noise is half of what the recordings miss of each other, "
        "in points, and overhead is what the recorder says." % (SECONDS, SHORT_SECONDS),
        [table(heads, rows, noise=[None, None, 3, 3, 3, 3, 3, 6, 3, 2])],
        [chart("defaults", "overlap of taken branches with truth, per cent", series,
               "Weights make up for a timer that samples slow code too often.", range="*<60:100")])]
