# SPDX-License-Identifier: MIT
"""Taming's Figure 3: edges from sampled addresses alone, with static heuristics, minimum-cost flow, and
blocks classified by several events; and from traces. Events are modelled from an exact instruction stream
(tests/quality/ip_model.txt), because the machines that this runs on seldom have any; a timer's addresses are
real ones of `perf record`."""
import os
import shutil
import time

from .. import papers
from ..measure import Wrapper, content, geometric_mean
from ..program import PROGRAMS
from ..report import Section, chart, table
from ..softlbr import fresh
from ..store import OutOfTime, Skipped, StepFailed
from . import similarity

NAME = "addresses"
TITLE = "Edge overlap of sampled addresses and of traces (Taming, Figure 3)"
MODEL = os.path.join(PROGRAMS, "..", "..", "tests", "quality", "ip_model.txt")
# bar -> samples, options of `softlbr convert`, the paper's mean
BARS = {
    "static": ("events", ["--smooth=static", "--event", "instructions"], papers.EDGE_OVERLAP["raw"]),
    "flow": ("events", ["--smooth=mcf", "--event", "instructions"], papers.EDGE_OVERLAP["flow"]),
    "flow, classified": ("events", ["--smooth=mcf"], papers.EDGE_OVERLAP["classified"]),
    "flow, by truth": ("events", ["--smooth=flat", "--event", "instructions", "--classify-by=@EXACT@"],
                       papers.EDGE_OVERLAP["perfect"]),
    "timer, static": ("timer", ["--smooth=static"], None),
    "timer, flow": ("timer", ["--smooth=mcf"], None),
    "software traces": ("traces", [], papers.EDGE_OVERLAP["lbr"]),
}
TIMER = ["perf", "record", "-q", "-e", "cpu-clock:u", "-c", "250000"]


def measure(evaluation, program):
    """bar -> edge overlap, 0 to 1"""
    binary = evaluation.gcc_base(program)
    samples = {}
    for kind, make in {"events": _events, "timer": _timer, "traces": _traces}.items():
        try:
            samples[kind] = make(evaluation, program, binary)
        except (StepFailed, OutOfTime) as reason:
            evaluation.miss(NAME, program, kind, reason)
    found = {}
    for bar, (kind, options, _) in BARS.items():
        if kind not in samples:
            continue
        files, exact = samples[kind]
        options = [option.replace("@EXACT@", exact[0]) for option in options]
        options = options + ([] if kind == "traces" else ["--ip-samples"])

        def work(files=files, exact=exact, options=options):
            return evaluation.softlbr.overlap(binary, files, exact, options)

        try:
            found[bar] = evaluation.step(program, "addresses-" + bar.replace(", ", "-").replace(" ", "-"),
                                         [content(binary, *files, *exact), options, evaluation.version], work)
        except (StepFailed, OutOfTime) as reason:
            evaluation.miss(NAME, program, bar, reason)
    if not found:
        raise evaluation.last_miss
    return found


def _events(evaluation, program, binary):
    """Samples of modelled events and exact counts of the same instructions: those of the first execution."""
    sampler = os.path.join(os.path.dirname(evaluation.softlbr.path), "tests", "ip-sampler")
    if not os.path.exists(sampler):
        raise Skipped("no %s: events are modelled by it (scripts/build.sh makes it)" % sampler)
    if not shutil.which("valgrind"):
        raise Skipped("no valgrind here")
    directory = evaluation.data(program, "events")
    files = [os.path.join(directory, name) for name in ("samples", "exact")]

    def work():
        fresh(directory)
        # The program is ended when the sampler has seen enough: what it prints is not looked at. (A broken pipe
        # does not end those that ignore SIGPIPE, like xz.)
        script = ('[ -e "$1/traced" ] && { shift 3; exec "$@"; }; : >"$1/traced"; d=$1 sampler=$2 model=$3; '
                  'shift 3; valgrind --tool=lackey --trace-mem=yes --log-fd=9 "$@" <&0 '
                  '9> >("$sampler" "$model" "$1" "$d/samples" "$d/exact"; : >"$d/finished") & '
                  'while kill -0 $! 2>/dev/null && [ ! -e "$d/finished" ]; do sleep 0.2; done; '
                  'kill -9 $! 2>/dev/null; wait $! 2>/dev/null')
        wrapper = Wrapper(directory, ["bash", "-c", script, "trace", directory, sampler, MODEL])
        try:
            program.run(binary, "short", wrapper.path)
        except StepFailed:
            pass
        for _ in range(100):
            if os.path.exists(os.path.join(directory, "finished")):
                break
            time.sleep(0.1)
        if not all(os.path.exists(path) and os.path.getsize(path) for path in files):
            raise StepFailed("no samples were made of %s's instructions" % program.name)
        return files

    samples, exact = evaluation.step(program, "addresses-events", [content(binary, MODEL, sampler)], work)
    return [samples], [exact]


def _timer(evaluation, program, binary):
    if not shutil.which("perf"):
        raise Skipped("no perf here")
    directory = evaluation.data(program, "timer")
    times = similarity.repeats(evaluation, program)

    def work():
        wrapper = Wrapper(fresh(directory), TIMER + ["-o", directory + "/@N@.perf.data", "--"])
        for _ in range(times):
            outcome = program.run(binary, "short", wrapper.path)
            evaluation.demand_output(program, "gcc", "short", outcome.digest, "a run under perf record")
        return wrapper.files("*.perf.data")

    evaluation.output(program, "gcc", "short")
    return (evaluation.step(program, "addresses-timer", [content(binary), times], work),
            evaluation.exact(program, "gcc")["files"])


def _traces(evaluation, program, binary):
    interval = evaluation.intervals(program)[0]
    recording = evaluation.record(program, "gcc", "short", interval, 16,
                                  similarity.repeats(evaluation, program), "record-short-" + interval)
    return recording["files"], evaluation.exact(program, "gcc")["files"]


def present(evaluation, results):
    rows = [[program.name] + [100 * found[bar] if bar in found else None for bar in BARS]
            for program, found in results]
    means = ["geometric mean"]
    for index in range(1, len(BARS) + 1):
        values = [row[index] for row in rows if row[index]]
        means.append(geometric_mean(values) if values else None)
    series = {bar: [(row[0], row[index + 1]) for row in rows + [means]] for index, bar in enumerate(BARS)}
    return [Section(
        "taming-figure3", "Edge overlap of sampled addresses and of traces (Taming, Figure 3)",
        "Overlap of edges with exact counts, in percent. static: branches from addresses of an instruction "
        "event, by static heuristics (the paper's first bar). flow: by minimum-cost flow (its second bar). "
        "flow, classified: with blocks classified as over- and under-sampled by further events (its third "
        "bar). These events are modelled on an exact instruction stream, with the paper's skid, "
        "aggregation and shadows. flow, by truth: with blocks classified by exact counts, at the paper's "
        "costs (its fourth bar); softlbr uses events for more than a class, and may exceed it. timer: "
        "addresses of perf's cpu-clock on this machine, without a model. software traces: softlbr record, "
        "where the paper has hardware LBR.",
        [table(["program"] + list(BARS), rows + [means, ["paper (SPEC CINT2000)"] +
                                                 [paper for _, _, paper in BARS.values()]], noise=8)],
        [chart("taming-figure3", "edge overlap with truth, per cent", series,
               "Each step to the right has more information: flow is conserved, stalls are separated from "
               "work, branches are recorded. A timer's addresses show where time is spent, not how often "
               "code runs.")])]
