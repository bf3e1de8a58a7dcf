# SPDX-License-Identifier: MIT
"""Break Dancing's Table 1 and Figures 3, 4, 5: what recording costs, and where the time goes."""
from .. import papers
from ..measure import Wrapper, content, geometric_mean, spread
from ..report import Section, chart, table
from ..softlbr import fresh

NAME = "overhead"
TITLE = "Overhead (Break Dancing, Table 1 and Figures 3, 4 and 5)"
ALGORITHMS = {"static": "the paper's algorithm", "full": "look-ahead"}
PARTS = ["application", "breakpoints", "decoding", "evaluation", "sampling"]


def measure(evaluation, program):
    """plain: CPU seconds by round; recorded: variant -> {cpu, statistics}, by round"""
    binary = evaluation.gcc_base(program)
    workload = evaluation.options.workload
    intervals = evaluation.timed_intervals(program)
    evaluation.output(program, "gcc", workload)

    def plain():
        wrapper = Wrapper(fresh(evaluation.data(program, "overhead")))
        return _outcome(evaluation, program, program.run(binary, workload, wrapper.path), "a plain run")

    variants = {"plain": plain}
    for lookahead in ALGORITHMS:
        for interval in intervals:
            name = "%s %s" % (lookahead, interval)
            variants[name] = _recorded(evaluation, program, binary, lookahead, interval)
    rounds = evaluation.rounds(program.name, "overhead",
                               [content(binary), workload, intervals, evaluation.version], variants,
                               evaluation.runs(program))
    return {"plain": [value["cpu"] for value in rounds.pop("plain")],
            "recorded": {name: {"cpu": [value["cpu"] for value in values],
                                "statistics": [value["statistics"] for value in values]}
                         for name, values in rounds.items()}}


def _outcome(evaluation, program, outcome, what, statistics=None):
    evaluation.demand_output(program, "gcc", evaluation.options.workload, outcome.digest, what)
    return {"cpu": outcome.cpu_seconds - (statistics["calibration_s"] if statistics else 0),
            "statistics": statistics}


def _recorded(evaluation, program, binary, lookahead, interval):
    def once():
        directory = fresh(evaluation.data(program, "overhead"))
        wrapper = evaluation.softlbr.recorder(directory, lookahead, interval)
        outcome = program.run(binary, evaluation.options.workload, wrapper.path)
        statistics = evaluation.softlbr.statistics(wrapper)
        fresh(directory)
        return _outcome(evaluation, program, outcome, "a run recorded (%s, %s)" % (lookahead, interval),
                        statistics)

    return once


def _overhead(result, name):
    return spread([100 * (cpu / plain - 1)
                   for cpu, plain in zip(result["recorded"][name]["cpu"], result["plain"])])


def _sums(result, name, part="counters"):
    sums = {}
    for statistics in result["recorded"].get(name, {"statistics": []})["statistics"]:
        for counter, value in statistics[part].items():
            sums[counter] = sums.get(counter, 0) + value
    return sums


def _branches_per_second(result, name):
    return _sums(result, name)["branches"] / sum(result["recorded"][name]["cpu"])


def _variants(evaluation):
    return ["%s %s" % (lookahead, interval) for lookahead in ALGORITHMS
            for interval in evaluation.options.timed_intervals]


def present(evaluation, results):
    return [_table_1(evaluation, results), _common_axis(evaluation, results),
            _figure_3(evaluation, results), _figure_4(results), _figure_5(results)]


def _table_1(evaluation, results):
    intervals, names = evaluation.options.timed_intervals, _variants(evaluation)
    rows, spreads, geometric = [], [], {}
    for program, result in results:
        row, quartiles = [program.name, program.about["spec"]], [program.name, len(result["plain"])]
        for name in names:
            value = _overhead(result, name) if name in result["recorded"] else None
            row.append(value and value["median"])
            quartiles.append(value and "%.1f to %.1f" % (value["low"], value["high"]))
            if value:
                geometric.setdefault(name, []).append(1 + value["median"] / 100)
        rows.append(row)
        spreads.append(quartiles)
    rows.append(["geometric mean", ""] + [
        100 * (geometric_mean(geometric[name]) - 1) if name in geometric else None for name in names])
    heads = [name.replace(" ", ", ") for name in names]
    series = {"%s, %s" % (ALGORITHMS[lookahead], intervals[0]):
              [(row[0], row[2 + len(intervals) * index]) for row in rows]
              for index, lookahead in enumerate(ALGORITHMS)}
    return Section(
        "table1", "Overhead against sampling interval (Table 1)",
        "CPU time of recorded runs above that of plain runs of the same round, in percent: medians; then "
        "the quartiles of the rounds; then the paper's table, for the rows of SPEC that the programs here "
        "represent. static is the paper's algorithm, full is look-ahead. Both record traces of 16 "
        "branches. Intervals are in task-clock time of each thread, since this machine has no branch "
        "event. The paper's intervals are in taken branches (500k of them take some milliseconds), so its "
        "columns and ours have different rates: the next section has an axis for both.",
        [table(["program", "SPEC row"] + heads, rows,
               noise=10 if evaluation.options.runs > 2 else None),
         table(["program", "rounds"] + heads, spreads),
         table(["SPEC row"] + ["%s, %s" % (machine, interval) for machine in ("Intel", "AMD")
                               for interval in papers.INTERVALS],
               [[row] + list(papers.OVERHEAD_INTEL[row]) + list(papers.OVERHEAD_AMD[row])
                for row in papers.rows_of(program for program, _ in results)] +
               [["geometric mean of the paper's 19"] + list(papers.OVERHEAD_INTEL_MEAN) +
                list(papers.OVERHEAD_AMD_MEAN)], digits=2)],
        [chart("table1", "overhead, per cent", series,
               "Each program at the shortest interval: the cost of the paper's algorithm, and that of look-ahead "
               "with the same number of traces.")])


def _common_axis(evaluation, results):
    """Overhead at equal recorded branches: both as means over the programs, by variant."""
    rows, series = [], {}
    for lookahead, meaning in ALGORITHMS.items():
        for interval in evaluation.options.timed_intervals:
            name = "%s %s" % (lookahead, interval)
            # Programs that have all intervals, so that each point is of the same programs.
            found = [result for _, result in results
                     if all(other in result["recorded"] for other in _variants(evaluation))]
            if not found:
                continue
            rate = geometric_mean([_branches_per_second(result, name) for result in found])
            overhead = 100 * (geometric_mean([1 + _overhead(result, name)["median"] / 100
                                              for result in found]) - 1)
            rows.append([meaning, interval, len(found), rate, overhead,
                         1e4 * overhead / rate if rate else None])
            series.setdefault(meaning, []).append((rate, max(overhead, 0.1)))
    each = [[program.name] + [_branches_per_second(result, name) if name in result["recorded"] else None
                              for name in _variants(evaluation)] for program, result in results]
    return Section(
        "equal-branches", "Overhead at equal recorded branches (Table 1, on a common axis)",
        "Geometric means over the programs that ran at all intervals: taken branches recorded per "
        "CPU-second, and the overhead. The last column is the cost of 10,000 recorded branches per second. "
        "The second table has the recorded branches per CPU-second of each program.",
        [table(["algorithm", "interval", "programs", "branches per CPU-second", "overhead, %",
                "% per 10,000 branches/s"], rows, digits=2),
         table(["program"] + [name.replace(" ", ", ") for name in _variants(evaluation)], each, digits=0)],
        [chart("equal-branches", "overhead, per cent", series,
               "For any number of branches, the vertical distance between the two lines is what look-ahead "
               "saves over the paper's algorithm for the same data. A point at 0.1 is below the noise of "
               "this machine.", lines=True, logy=True,
               xlabel="taken branches recorded per CPU-second")])


def _figure_3(evaluation, results):
    rows, series, means = [], {part: [] for part in PARTS[1:]}, {}
    for program, result in results:
        for name in _variants(evaluation):
            times = _sums(result, name, "time")
            total = sum(times.get(part + "_s", 0) for part in PARTS)
            if not total:
                continue
            lookahead, interval = name.split()
            shares = [100 * times.get(part + "_s", 0) / total for part in PARTS]
            rows.append([program.name, ALGORITHMS[lookahead], interval] + shares)
            means.setdefault(name, []).append(shares)
            if interval == evaluation.options.timed_intervals[0]:
                for part, share in list(zip(PARTS, shares))[1:]:
                    series[part].append(("%s, %s" % (program.name, lookahead), share))
    by_interval = {part: [] for part in PARTS[1:]}
    for name, shares in means.items():
        averages = [sum(column) / len(shares) for column in zip(*shares)]
        lookahead, interval = name.split()
        rows.append(["mean of %d" % len(shares), ALGORITHMS[lookahead], interval] + averages)
        for part, share in list(zip(PARTS, averages))[1:]:
            by_interval[part].append(("%s, %s" % (lookahead, interval), share))
    return Section(
        "figure3", "Where the time goes (Figure 3)",
        "Shares of CPU time of the recorded runs, in percent. The kernel's part of a stop is estimated "
        "from a calibration at the end of each recording; the rest is measured. evaluation is the rest of "
        "the collector's own work at a stop: reading memory, writing the trace, and, with look-ahead, "
        "evaluating the decoded instructions.",
        [table(["program", "algorithm", "interval"] + PARTS, rows)],
        [chart("figure3", "share of CPU time, per cent", series,
               "Time that is not the program's own, at an interval of %s. With the paper's algorithm "
               "(static), most of it is breakpoints, as in the paper, and the work at each of them. With "
               "look-ahead (full), samples and evaluation remain." %
               evaluation.options.timed_intervals[0], stacked=True),
         chart("figure3-intervals", "share of CPU time, per cent", by_interval,
               "Means of the same over the programs, by interval: all parts shrink as the interval grows.",
               stacked=True)])


def _branch_fractions(total):
    dynamic = total.get("unresolved", 0)
    if not dynamic:
        return None
    taken = total["unresolved_taken"] / dynamic
    static = total["resolved_static"] / (total["resolved_static"] + dynamic)
    return [taken, static, taken / (1 - static), total["branches"] / max(1, total["hits"])]


def _totals(result, lookahead):
    total = {}
    for name in result["recorded"]:
        if name.startswith(lookahead):
            for part in ("counters", "time"):
                for key, value in _sums(result, name, part).items():
                    total[key] = total.get(key, 0) + value
    return total


def _figure_4(results):
    rows, suite = [], {}
    for program, result in results:
        total = _totals(result, "static")
        fractions = _branch_fractions(total)
        if fractions:
            rows.append([program.name, program.about["spec"]] + fractions)
            for key, value in total.items():
                suite[key] = suite.get(key, 0) + value
    if rows:
        rows.append(["all programs", ""] + _branch_fractions(suite))
    series = {head: [(row[0], row[index]) for row in rows]
              for index, head in ((2, "taken, of the branches that stop it (t)"), (3, "resolved by decoding (s)"),
                                  (4, "recorded branches per breakpoint, t / (1 - s)"))}
    return Section(
        "figure4", "Taken and static branches, breakpoint usefulness (Figure 4)",
        "t: taken share of the branches that stop the paper's algorithm. s: share of branches that "
        "decoding alone resolves. t / (1 - s): the paper's breakpoint usefulness factor; for SPEC 2006 as "
        "a whole it is %.1f. recorded per hit: taken branches recorded per breakpoint hit." %
        papers.USEFULNESS,
        [table(["program", "SPEC row", "t", "s", "t / (1 - s)", "recorded per hit"], rows, digits=2)],
        [chart("figure4", "fraction", series,
               "Where a program has less than 1 recorded branch per breakpoint, the paper's algorithm needs more than one breakpoint per "
               "recorded branch.")])


def _figure_5(results):
    rows = []
    for program, result in results:
        row = [program.name]
        for lookahead in ALGORITHMS:
            total = _totals(result, lookahead)
            hits = total.get("hits", 0)
            blocks = total.get("resolved", 0) + total.get("unresolved", 0)
            row += [1e6 * total.get("breakpoints_s", 0) / hits if hits else None,
                    1e6 * total.get("decoding_s", 0) / blocks if blocks else None]
        rows.append(row)
    return Section(
        "figure5", "Cost per breakpoint, and of decoding per block (Figure 5)",
        "In microseconds. The paper has about %.0f for a breakpoint on bare metal; here each breakpoint "
        "causes some VM exits. A block is decoded once and kept, so decoding costs little per branch." %
        papers.BREAKPOINT_US,
        [table(["program", "static: per hit", "static: decoding per branch", "look-ahead: per hit",
                "look-ahead: decoding per branch"], rows, digits=3)],
        [chart("figure5", "microseconds per breakpoint",
               {"the paper's algorithm": [(row[0], row[1]) for row in rows],
                "look-ahead": [(row[0], row[3]) for row in rows]},
               "A breakpoint costs about the same in every program: the cost depends on the machine, not "
               "on the program."),
         chart("figure5-decoding", "microseconds of decoding per branch",
               {"the paper's algorithm": [(row[0], row[2]) for row in rows],
                "look-ahead": [(row[0], row[4]) for row in rows]},
               "Decoding costs more where much code runs for the first time: a loop that keeps running is "
               "not decoded again.")])
