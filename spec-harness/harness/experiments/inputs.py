# SPDX-License-Identifier: MIT
"""Taming's Figure 6: profiles of the training input against profiles of the measured input."""
from .. import papers, toolchain
from ..measure import geometric_mean, interleaved, spread
from ..report import Section, chart, table
from . import speedup

NAME = "inputs"
TITLE = "Profiles of the training and of the measured input (Taming, Figure 6)"


def measure(evaluation, program):
    base = evaluation.gcc_base(program)
    compiler = toolchain.gcc()
    binaries = {"base": base}
    for source, name in (("ours", "train"), ("same-input", "ref")):
        profile = evaluation.profile(program, "gcc", source, "gcov",
                                     ["--gcc=" + toolchain.gcc_major(compiler)])
        flags = "%s -fauto-profile=%s %s" % (toolchain.GCC_BASE, profile, toolchain.GCC_COST_MODEL)
        binaries[name] = evaluation.build(program, "gcc-" + source, compiler, flags,
                                          key=speedup.content(profile))["binary"]
    workload, runs = evaluation.options.workload, evaluation.runs(program)

    def timed(binary):
        def once():
            outcome = program.run(binary, workload)
            evaluation.demand_kind_output(program, "gcc", workload, outcome.digest)
            return outcome.cpu_seconds
        return once

    return evaluation.step(
        program, "inputs", [{n: speedup.content(b) for n, b in binaries.items()}, workload, runs],
        lambda: interleaved({name: timed(binary) for name, binary in binaries.items()}, runs))


def present(evaluation, results):
    rows, means = [], {"train": [], "ref": []}
    for program, seconds in results:
        row = [program.name]
        for name in means:
            ratio = spread([b / v for b, v in zip(seconds["base"], seconds[name])])
            means[name].append(ratio["median"])
            row += [100 * (ratio["median"] - 1), "%+.1f to %+.1f" % (100 * (ratio["low"] - 1),
                                                                    100 * (ratio["high"] - 1))]
        rows.append(row)
    series = {"profile of %s" % name: [(row[0], row[index]) for row in rows]
              for name, index in (("train", 1), ("the measured input", 3))}
    rows.append(["geometric mean", 100 * (geometric_mean(means["train"]) - 1), "",
                 100 * (geometric_mean(means["ref"]) - 1), ""])
    rows.append(["paper (SPEC CINT2006)", papers.TRAIN_SPEEDUP, "", papers.REF_SPEEDUP, ""])
    return [Section(
        "taming-figure6", "Profiles of the training and of the measured input (Taming, Figure 6)",
        "CPU time gained by gcc -fauto-profile over -O2, in per cent: medians of paired rounds and their "
        "quartiles.",
        [table(["program", "profile of train", "quartiles", "profile of the measured input", "quartiles"],
               rows)],
        [chart("taming-figure6", "speed-up, per cent", series,
               "Where the bars are equal, the training input stands well for the measured one.")])]
