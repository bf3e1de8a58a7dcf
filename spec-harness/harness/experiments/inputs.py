# SPDX-License-Identifier: MIT
"""Taming's Figure 6: profiles of the training input against profiles of the measured input, by sampling
and by instrumentation."""
from .. import papers
from ..measure import content, geometric_mean, spread
from ..report import Section, chart, table
from . import speedup

NAME = "inputs"
TITLE = "Profiles of the training and of the measured input (Taming, Figure 6)"
# variant -> what it is, the paper's mean
PROFILES = {"train": ("ours, train", papers.TRAIN_SPEEDUP), "ref": ("ours, measured", papers.REF_SPEEDUP),
            "counted-train": ("instrumented, train", papers.TRAIN_INSTRUMENTED),
            "counted-ref": ("instrumented, measured", papers.REF_INSTRUMENTED)}


def measure(evaluation, program):
    """CPU seconds by round, variant -> values"""
    workload = evaluation.options.workload
    # Where the training input is what is timed (the quick suite), the short one trains.
    training = "ours" if workload != "train" else "short"
    measured = workload if workload != "train" else "ours"
    binaries = {"base": evaluation.gcc_base(program),
                "train": speedup.autofdo_gcc(evaluation, program, training),
                "ref": speedup.autofdo_gcc(evaluation, program, measured),
                "counted-train": speedup.instrumented_gcc(evaluation, program, training.replace("ours", "train")),
                "counted-ref": speedup.instrumented_gcc(evaluation, program, workload)}
    return evaluation.rounds(
        program.name, "inputs", [{name: content(binary) for name, binary in binaries.items()}, workload],
        {name: speedup.timed(evaluation, program, "gcc", "the rebuilt program (%s)" % name, binary)
         for name, binary in binaries.items()}, evaluation.runs(program))


def present(evaluation, results):
    rows, spreads, means = [], [], {name: [] for name in PROFILES}
    for program, seconds in results:
        rows.append([program.name])
        spreads.append([program.name, len(seconds["base"])])
        for name in PROFILES:
            pairs = spread([100 * (b / v - 1) for b, v in zip(seconds["base"], seconds[name])])
            means[name].append(1 + pairs["median"] / 100)
            rows[-1].append(pairs["median"])
            spreads[-1].append("%+.1f to %+.1f" % (pairs["low"], pairs["high"]))
    rows.append(["geometric mean"] + [100 * (geometric_mean(means[name]) - 1) for name in PROFILES])
    rows.append(["paper (SPEC CINT2006)"] + [paper for _, paper in PROFILES.values()])
    heads = [meaning for meaning, _ in PROFILES.values()]
    return [Section(
        "taming-figure6", "Profiles of the training and of the measured input (Taming, Figure 6)",
        "CPU time gained on the timed input by gcc -fauto-profile (ours) and -fprofile-use (instrumented) "
        "over -O2, in percent: medians of paired rounds, then their quartiles. The profile is of the "
        "training input, or of the timed input itself.",
        [table(["program"] + heads, rows, noise=5 if evaluation.options.runs > 2 else None),
         table(["program", "rounds"] + ["quartiles: " + head for head in heads], spreads)],
        [chart("taming-figure6", "CPU time gained, per cent",
               {head: [(row[0], row[index + 1]) for row in rows] for index, head in enumerate(heads)},
               "Where the two points of a kind coincide, the training input represents the measured one "
               "well. The last row has the paper's means.")])]
