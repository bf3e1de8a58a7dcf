# SPDX-License-Identifier: MIT
"""Break Dancing's Table 1 and Figures 3, 4, 5: what recording costs, and where the time goes."""
from .. import papers
from ..measure import geometric_mean, interleaved, spread
from ..report import Section, chart, table
from ..softlbr import fresh

NAME = "overhead"
TITLE = "Overhead (Break Dancing, Table 1 and Figures 3, 4 and 5)"
ALGORITHMS = {"static": "the paper's algorithm", "full": "look-ahead"}


def measure(evaluation, program):
    binary = evaluation.gcc_base(program)
    workload = evaluation.options.workload
    intervals, runs = evaluation.intervals(program), evaluation.runs(program)

    def work():
        variants = {"plain": lambda: (program.run(binary, workload), None)}
        for lookahead in ALGORITHMS:
            for interval in intervals:
                variants["%s %s" % (lookahead, interval)] = _recorded(
                    evaluation, program, binary, workload, lookahead, interval)
        rounds = interleaved(variants, runs)
        for name, values in rounds.items():
            for outcome, _ in values:
                evaluation.demand_output(program, workload, outcome.digest, "a run recorded (%s)" % name)
        return {"plain": [outcome.cpu_seconds for outcome, _ in rounds.pop("plain")],
                "recorded": {name: {"cpu": [outcome.cpu_seconds for outcome, _ in values],
                                    "statistics": [statistics for _, statistics in values]}
                             for name, values in rounds.items()}}

    evaluation.output(program, workload)
    return evaluation.step(program, "overhead", [binary, workload, intervals, runs, evaluation.version],
                           work)


def _recorded(evaluation, program, binary, workload, lookahead, interval):
    def once():
        directory = fresh(evaluation.data(program, "overhead"))
        wrapper = evaluation.softlbr.recorder(directory, lookahead, interval)
        outcome = program.run(binary, workload, wrapper.path)
        statistics = evaluation.softlbr.statistics(wrapper)
        fresh(directory)
        return outcome, statistics

    return once


def _overheads(result, name):
    return [100 * (cpu / plain - 1)
            for cpu, plain in zip(result["recorded"][name]["cpu"], result["plain"])]


def _sums(result, name):
    sums = {}
    for statistics in result["recorded"][name]["statistics"]:
        for counter, value in statistics["counters"].items():
            sums[counter] = sums.get(counter, 0) + value
    return sums


def _times(result, name):
    sums = {}
    for statistics in result["recorded"][name]["statistics"]:
        for part, value in statistics["time"].items():
            sums[part] = sums.get(part, 0) + value
    return sums


def present(evaluation, results):
    return [_table_1(evaluation, results), _figure_3(evaluation, results), _figure_4(results),
            _figure_5(results)]


def _table_1(evaluation, results):
    intervals = evaluation.options.intervals
    columns = ["program", "SPEC row"] + ["%s, %s" % (lookahead, interval)
                                         for lookahead in ALGORITHMS for interval in intervals]
    columns += ["branches per CPU-second, look-ahead, %s" % interval for interval in intervals]
    columns += ["paper, Intel, 500k", "paper, Intel, 5000k"]
    rows, geometric = [], {}
    for program, result in results:
        paper = papers.OVERHEAD_INTEL.get(program.about["spec"], (None,) * 5)
        row = [program.name, program.about["spec"]]
        for lookahead in ALGORITHMS:
            for interval in intervals:
                name = "%s %s" % (lookahead, interval)
                value = None
                if name in result["recorded"]:
                    value = spread(_overheads(result, name))["median"]
                    geometric.setdefault(name, []).append(1 + value / 100)
                row.append(value)
        for interval in intervals:
            name = "full " + interval
            row.append(_sums(result, name)["branches"] / sum(result["recorded"][name]["cpu"])
                       if name in result["recorded"] else None)
        rows.append(row + [paper[0], paper[4]])
    means = ["geometric mean", ""]
    for lookahead in ALGORITHMS:
        for interval in intervals:
            values = geometric.get("%s %s" % (lookahead, interval))
            means.append(100 * (geometric_mean(values) - 1) if values else None)
    rows.append(means + [None] * len(intervals) + [papers.OVERHEAD_INTEL_MEAN[0],
                                                   papers.OVERHEAD_INTEL_MEAN[4]])
    series = {"%s, %s" % (ALGORITHMS[lookahead], intervals[0]):
              [(row[0], row[2 + len(intervals) * index]) for row in rows]
              for index, lookahead in enumerate(ALGORITHMS)}
    return Section(
        "table1", "Overhead against sampling interval (Table 1)",
        "CPU time of recorded runs above that of plain runs of the same round, in per cent: medians. "
        "Intervals are in task-clock time of each thread, since this machine has no branch event; both "
        "algorithms record traces of 16 at equal intervals, so about equally many branches. The paper's "
        "intervals are in taken branches (500k of them pass in some milliseconds).",
        [table(columns, rows)],
        [chart("table1", "overhead, per cent", series,
               "Each pair of bars is one program at the densest interval: the left one is what the "
               "paper's algorithm costs, the right one look-ahead at the same number of traces.")])


def _figure_3(evaluation, results):
    interval = evaluation.options.intervals[0]
    parts = ["application_s", "breakpoints_s", "decoding_s", "evaluation_s", "sampling_s"]
    rows, series = [], {part[:-2]: [] for part in parts}
    for program, result in results:
        for lookahead in ALGORITHMS:
            name = "%s %s" % (lookahead, interval)
            if name not in result["recorded"]:
                continue
            times = _times(result, name)
            total = sum(times.get(part, 0) for part in parts)
            if not total:
                continue
            shares = [100 * times.get(part, 0) / total for part in parts]
            rows.append([program.name, ALGORITHMS[lookahead]] + shares)
            for part, share in zip(parts, shares):
                if part != "application_s":
                    series[part[:-2]].append(("%s, %s" % (program.name, lookahead), share))
    series.pop("application")
    return Section(
        "figure3", "Where the time goes (Figure 3)",
        "Shares of CPU time at an interval of %s, in per cent. What the kernel does at a stop is "
        "estimated from a calibration at the end of each recording; the rest is measured." % interval,
        [table(["program", "algorithm"] + [part[:-2] for part in parts], rows)],
        [chart("figure3", "share of CPU time, per cent", series,
               "What is not the program's own time. With the paper's algorithm nearly all of it is "
               "breakpoints; look-ahead leaves the samples, and evaluation.", stacked=True)])


def _figure_4(results):
    rows = []
    for program, result in results:
        names = [name for name in result["recorded"] if name.startswith("static")]
        sums = [_sums(result, name) for name in names]
        total = {key: sum(entry.get(key, 0) for entry in sums) for key in sums[0]} if sums else {}
        dynamic = total.get("unresolved", 0)
        if not dynamic:
            continue
        taken = total["unresolved_taken"] / dynamic
        static = total["resolved_static"] / (total["resolved_static"] + dynamic)
        rows.append([program.name, program.about["spec"], taken, static, taken / (1 - static),
                     total["branches"] / max(1, total["hits"])])
    series = {"t": [(row[0], row[2]) for row in rows], "s": [(row[0], row[3]) for row in rows],
              "t / (1 - s)": [(row[0], row[4]) for row in rows]}
    return Section(
        "figure4", "Taken and static branches, breakpoint usefulness (Figure 4)",
        "t: taken share of the branches that stop the paper's algorithm; s: share of branches that "
        "decoding alone resolves; t / (1 - s): the paper's breakpoint usefulness factor, for SPEC 2006 "
        "as a whole %.1f; last, taken branches that were recorded for each breakpoint hit." %
        papers.USEFULNESS,
        [table(["program", "SPEC row", "t", "s", "t / (1 - s)", "recorded per hit"], rows, digits=2)],
        [chart("figure4", "fraction", series,
               "Where the right bar is below 1, the paper's algorithm needs more than one breakpoint "
               "for each branch that it records.")])


def _figure_5(results):
    rows = []
    for program, result in results:
        row = [program.name]
        for lookahead in ALGORITHMS:
            names = [name for name in result["recorded"] if name.startswith(lookahead)]
            sums = [_sums(result, name) for name in names]
            times = [_times(result, name) for name in names]
            hits = sum(entry.get("hits", 0) for entry in sums)
            blocks = sum(entry.get("resolved", 0) + entry.get("unresolved", 0) for entry in sums)
            decoding = sum(entry.get("decoding_s", 0) for entry in times)
            breaking = sum(entry.get("breakpoints_s", 0) for entry in times)
            row += [1e6 * breaking / hits if hits else None, 1e6 * decoding / blocks if blocks else None]
        rows.append(row)
    return Section(
        "figure5", "Cost per breakpoint, and of decoding per block (Figure 5)",
        "In microseconds. The paper has about %.0f for a breakpoint on bare metal; here each is some VM "
        "exits. Look-ahead decodes a block once and keeps it, so its second figure is small." %
        papers.BREAKPOINT_US,
        [table(["program", "static: per hit", "static: decoding per branch", "look-ahead: per hit",
                "look-ahead: decoding per branch"], rows, digits=3)], [])
