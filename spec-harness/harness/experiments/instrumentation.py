# SPDX-License-Identifier: MIT
"""Taming's Table 1: what it costs to get a profile, by sampling and by instrumentation."""
import resource

from .. import papers, toolchain
from ..measure import callgrind, geometric_mean, interleaved, spread
from ..report import Section, table
from ..softlbr import fresh
from ..store import StepFailed

NAME = "instrumentation"
TITLE = "Sampling against instrumentation (Taming, Table 1)"


def measure(evaluation, program):
    binary = evaluation.gcc_base(program)
    counters = evaluation.data(program, "gcda")
    flags = "-O2 -g -fprofile-update=single -fprofile-dir=%s -fprofile-generate" % counters
    generate = evaluation.build(program, "gcc-counting", toolchain.gcc(), flags)["binary"]
    workload, runs = "train", max(3, evaluation.runs(program))

    def recorded():
        directory = fresh(evaluation.data(program, "instrumentation"))
        wrapper = evaluation.softlbr.recorder(directory, depth=16)
        return program.run(binary, workload, wrapper.path)

    def work():
        rounds = interleaved({"plain": lambda: program.run(binary, workload), "ours": recorded,
                              "instrumented": lambda: program.run(generate, workload)}, runs)
        digests = {outcome.digest for values in rounds.values() for outcome in values}
        if len(digests) != 1:
            raise StepFailed("OUTPUT DIFFERS: recorded, instrumented or plain on %s" % workload)
        return {name: [outcome.cpu_seconds for outcome in values] for name, values in rounds.items()}

    def valgrind():
        """callgrind takes no longer workload than the short one"""
        plain = program.run(binary, "short")
        directory = fresh(evaluation.data(program, "callgrind"))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        callgrind(program, binary, "short", directory, exact=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        fresh(directory)
        return (after.ru_utime - before.ru_utime) / max(plain.cpu_seconds, 0.001)

    result = evaluation.step(program, "instrumentation", [binary, generate, runs, evaluation.version],
                             work)
    return dict(result, callgrind=evaluation.step(program, "instrumentation-callgrind", binary, valgrind))


def present(evaluation, results):
    rows, ours, instrumented, tracing = [], [], [], []
    for program, result in results:
        sampled, counted = [spread([value / plain for value, plain in zip(result[name], result["plain"])])
                            for name in ("ours", "instrumented")]
        rows.append([program.name, 100 * (sampled["median"] - 1), 100 * (counted["median"] - 1),
                     result["callgrind"]])
        ours.append(sampled["median"])
        instrumented.append(counted["median"])
        tracing.append(result["callgrind"])
    rows.append(["geometric mean", 100 * (geometric_mean(ours) - 1),
                 100 * (geometric_mean(instrumented) - 1), geometric_mean(tracing)])
    rows += [["paper: " + name] + list(values) for name, values in papers.INSTRUMENTATION.items()]
    rows.append(["paper: geometric mean"] + list(papers.INSTRUMENTATION_MEAN))
    return [Section(
        "taming-table1", "Sampling against instrumentation (Taming, Table 1)",
        "CPU time above a plain run: softlbr record as it is by default, and a -fprofile-generate build, "
        "in per cent (medians of paired rounds on the training input); callgrind, which stands in for the "
        "paper's Pin, as a factor, on the short input. The paper's first column is hardware sampling.",
        [table(["program", "softlbr record, %", "-fprofile-generate, %", "callgrind, times"], rows)], [])]
