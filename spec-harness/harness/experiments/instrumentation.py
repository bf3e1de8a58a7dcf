# SPDX-License-Identifier: MIT
"""Taming's Table 1: what it costs to get a profile, by sampling and by instrumentation."""
import os
import resource

from .. import papers
from ..measure import Wrapper, callgrind, content, geometric_mean, spread
from ..report import Section, chart, table
from ..softlbr import fresh
from . import speedup

NAME = "instrumentation"
TITLE = "Sampling against instrumentation (Taming, Table 1)"


def measure(evaluation, program):
    binary = evaluation.gcc_base(program)
    counting = speedup.counting_gcc(evaluation, program)
    evaluation.output(program, "gcc", "train")

    def run(what, program_file, wrapper):
        outcome = program.run(program_file, "train", wrapper.path)
        evaluation.demand_output(program, "gcc", "train", outcome.digest, what)
        return outcome.cpu_seconds

    def plain():
        return run("a plain run", binary, Wrapper(fresh(evaluation.data(program, "instrumentation"))))

    def recorded():
        directory = fresh(evaluation.data(program, "instrumentation"))
        return run("a recorded run", binary, 
                   evaluation.softlbr.recorder(directory, depth=None, stats=False))

    def counted():
        # The counts of gcc's build belong to its profile: these go elsewhere.
        directory = fresh(evaluation.data(program, "instrumentation"))
        seconds = run("the instrumented program", counting,
                      Wrapper(directory, ["env", "GCOV_PREFIX=" + os.path.join(directory, "counts")]))
        fresh(directory)
        return seconds

    def valgrind():
        """callgrind takes no longer workload than the short one"""
        native = program.run(binary, "short")
        directory = fresh(evaluation.data(program, "callgrind"))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        callgrind(program, binary, "short", directory, exact=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        fresh(directory)
        return (after.ru_utime - before.ru_utime) / max(native.cpu_seconds, 0.001)

    rounds = evaluation.rounds(
        program.name, "instrumentation", [content(binary, counting), evaluation.version],
        {"plain": plain, "ours": recorded, "instrumented": counted},
        evaluation.runs(program))
    return dict(rounds, callgrind=evaluation.step(program, "instrumentation-callgrind", content(binary),
                                                  valgrind))


def present(evaluation, results):
    rows, ours, instrumented, tracing = [], [], [], []
    for program, result in results:
        sampled, counted = [spread([value / plain for value, plain in zip(result[name], result["plain"])])
                            for name in ("ours", "instrumented")]
        rows.append([program.name, 100 * (sampled["median"] - 1), _range(sampled),
                     100 * (counted["median"] - 1), _range(counted), result["callgrind"],
                     len(result["plain"])])
        ours.append(sampled["median"])
        instrumented.append(counted["median"])
        tracing.append(result["callgrind"])
    rows.append(["geometric mean", 100 * (geometric_mean(ours) - 1), None,
                 100 * (geometric_mean(instrumented) - 1), None, geometric_mean(tracing), None])
    series = {"softlbr record": [(row[0], row[1]) for row in rows],
              "-fprofile-generate": [(row[0], row[3]) for row in rows]}
    rows += [["paper: " + name, values[0], None, values[1], None, values[2], None]
             for name, values in list(papers.INSTRUMENTATION.items()) +
             [("geometric mean", papers.INSTRUMENTATION_MEAN)]]
    return [Section(
        "taming-table1", "Sampling against instrumentation (Taming, Table 1)",
        "CPU time above a plain run. softlbr record with its defaults, and a -fprofile-generate build: in "
        "percent, medians of paired rounds on the training input, and quartiles. callgrind, in place of "
        "the paper's Pin: as a factor, on the short input. The paper's first column is hardware sampling "
        "of SPEC CINT2000.",
        [table(["program", "softlbr record, %", "quartiles", "-fprofile-generate, %", "quartiles",
                "callgrind, times", "rounds"], rows)],
        [chart("taming-table1", "overhead, per cent", series,
               "The cost of a profile for the profiled program: next to nothing by sampling (but a program "
               "of many short executions pays for each start of the recorder), a good part of the time by "
               "counting.")])]


def _range(values):
    return "%+.1f to %+.1f" % tuple(100 * (values[part] - 1) for part in ("low", "high"))
