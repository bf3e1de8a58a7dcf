# SPDX-License-Identifier: MIT
"""Taming's Figure 5: what each kind of knowledge adds to the gain of gcc's builds with our counters."""
from .. import papers
from ..report import Section, chart, table
from . import counters, speedup

NAME = "components"
TITLE = "Edges, grouping, values (Taming, Figure 5)"
# the paper's step -> our build with it and the steps before it
STEPS = {"edges": "counters-ours", "grouping": "counters-grouped", "values": "counters-values",
         "instrumented": "counters-whole"}
VARIANTS = [counters.BASE, "counters-lto"] + list(STEPS.values())
HEADS = [counters.WHOLE_KINDS["lto"][0], "our counters"] + [
    counters.WHOLE_KINDS[kind][0] for kind in ("grouped", "values", "whole")]


def measure(evaluation, program):
    return speedup.gains(evaluation, program, NAME, VARIANTS,
                         lambda variant: counters.build(evaluation, program, variant)["binary"],
                         "components-seconds")


def present(evaluation, results):
    tables, charts = speedup.bars(
        "taming-figure5", VARIANTS, HEADS, results, 5 if evaluation.options.runs > 2 else None,
        "Higher is better. Each of our steps has those before it.")
    tables.append(table(
        ["SPEC CINT2000, mean speed-up, %"] + list(papers.COMPONENTS),
        [["the paper"] + list(papers.COMPONENTS.values())], digits=2))
    return [Section(
        "taming-figure5", TITLE,
        "Against gcc %s. Our counters by a recording: of edges, and of the targets of calls by pointers, which "
        "traces have; with modules that are compiled together, for which gcc has -flto (its LIPO is gone); and "
        "with values (record --values). Beside them -flto without a profile, and the instrumented build with "
        "-flto. Instructions saved on the short input, CPU time gained on the timed one, in percent. The last "
        "table has the paper's steps, of which the first is a profile of hardware events without branch "
        "records." % counters.toolchain.COUNTERS_BASE,
        tables, charts)]
