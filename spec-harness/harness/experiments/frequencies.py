# SPDX-License-Identifier: MIT
"""Taming's Figure 4 and more: what smoothing makes of traces, and what is lost from machine code to source
lines. Truth is exact counts of the same binary and input."""
from .. import papers
from ..measure import content, geometric_mean
from ..report import Section, chart, table
from ..store import StepFailed
from . import similarity

NAME = "frequencies"
TITLE = "Edge overlap of traces, raw and smoothed; binary against source level (Taming, Figure 4)"
# estimate -> options of `softlbr convert`
ESTIMATES = {
    "traces, raw": ["--frequencies=raw", "--smooth=none"],
    "traces, raw, flow": ["--frequencies=raw", "--smooth=mcf"],
    "traces, as by default": ["--smooth=none"],
    "traces, default, flow": ["--smooth=mcf"],
}
DEFAULT = "traces, as by default"


def measure(evaluation, program):
    binary = evaluation.gcc_base(program)
    exact = evaluation.exact(program, "gcc")
    interval = evaluation.intervals(program)[0]
    recording = evaluation.record(program, "gcc", "short", interval, 16, similarity.repeats(evaluation, program),
                                  "record-short-" + interval)
    found = {}
    for name, options in ESTIMATES.items():
        def work(options=options):
            return evaluation.softlbr.scores(binary, recording["files"], exact["files"], options)

        try:
            found[name] = evaluation.step(
                program, "frequencies-" + name.replace(", ", "-").replace(" ", "-"),
                [content(binary, *recording["files"], *exact["files"]), options, evaluation.version],
                work)
        except StepFailed as reason:
            evaluation.miss(NAME, program, name, reason)
    if not found:
        raise evaluation.last_miss
    return {"scores": found, "traces": recording["traces"]}


def present(evaluation, results):
    return [_raw_and_smoothed(results), _figure_4(results)]


def _percent(result, estimate, level):
    score = result["scores"].get(estimate, {}).get(level)
    return None if score is None else 100 * score


def _means(rows, first):
    means = ["geometric mean"]
    for column in range(first, len(rows[0])):
        values = [row[column] for row in rows if row[column]]
        means.append(geometric_mean(values) if values else None)
    return means


def _raw_and_smoothed(results):
    rows = [[program.name] + [_percent(result, estimate, "edge") for estimate in ESTIMATES]
            for program, result in results]
    series = {estimate: [(row[0], row[index + 1]) for row in rows]
              for index, estimate in enumerate(ESTIMATES)}
    return Section(
        "frequencies", "Edge overlap of traces with truth, raw and smoothed",
        "In percent: traces as recorded, the same smoothed by minimum-cost flow, and both again with the "
        "estimated frequencies that convert uses by default (docs/frequencies.md).",
        [table(["program"] + list(ESTIMATES), rows + [_means(rows, 1)],
               noise=similarity.noise(min(result["traces"] for _, result in results)))],
        [chart("frequencies", "edge overlap with truth, per cent", series,
               "Traces that start at random times have too little of fast code; flow alone can't correct "
               "that.")])


def _figure_4(results):
    rows = [[program.name] + [_percent(result, DEFAULT, level)
                              for level in ("edge", "line", "function")]
            for program, result in results]
    series = {level: [(row[0], row[index + 1]) for row in rows]
              for index, level in enumerate(("edge", "line", "function"))}
    return Section(
        "taming-figure4", "Binary against source level (Taming, Figure 4)",
        "The same recordings compared by edges of the machine code, by source lines, and by functions. The "
        "paper has %.2f at binary level, %.2f at source level, and %.2f with better debug information." %
        (papers.BINARY_OVERLAP, papers.SOURCE_OVERLAP, papers.SOURCE_OVERLAP_IMPROVED),
        [table(["program", "edge", "line", "function"], rows + [_means(rows, 1)])],
        [chart("taming-figure4", "overlap with truth, per cent", series,
               "The gap between edge and line is the loss by debug information.")])
