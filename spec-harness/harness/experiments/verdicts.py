# SPDX-License-Identifier: MIT
"""Ours: is a profile called good that is good? Recordings of many kinds and lengths, what `softlbr check` says of
each, and its true overlap with exact counts."""
import math
import os
import re
import shutil
import subprocess
import tempfile

from ..measure import content, run_measured
from ..report import Section, table
from ..store import OutOfTime, StepFailed

NAME = "verdicts"
TITLE = "Verdicts against true overlap"
KIND = "gcc"
WORKLOADS = ("short", "train")  # passes: what needs exact counts of the short workload comes first
GOOD = 0.90  # the least true overlap of what may be called good


class Variant:
    """A way to record: seconds of CPU time of a workload with these options."""

    def __init__(self, name, workload, seconds, options=(), text_of=None, kinds=None):
        self.name, self.workload, self.seconds, self.options = name, workload, seconds, list(options)
        self.text_of = text_of  # what perf script prints of that variant's recording
        self.kinds = kinds  # of programs; None: all


VARIANTS = [
    Variant("0.3 s", "short", 0.3),
    Variant("1 s", "short", 1),
    Variant("1 s, -F 500", "short", 1, ["-F", "500"]),
    Variant("3 s, -c 1ms -n 32", "short", 3, ["-c", "1ms", "-n", "32"]),
    Variant("3 s, as text", "short", 3, text_of="3 s, -c 1ms -n 32"),
    Variant("2 s, from outside", "short", 2, ["--ptrace"]),
    Variant("3 s", "short", 3),
    Variant("10 s", "short", 10),
    Variant("20 s", "train", 20, kinds=["debian"]),
]


def _step_name(what, variant):
    return "verdicts-%s-%s" % (what, re.sub(r"[^0-9a-zA-Z.]+", "-", variant.name))


def _repeated(command, times):
    return ["sh", "-c", 'i=0; while [ $i -lt %d ]; do "$@" || exit; i=$((i + 1)); done' % times, "sh", *command]


def _record(evaluation, program, variant):
    """The file of a recording of as many runs as take the variant's CPU time."""
    binary = evaluation.base(program, KIND)
    once = evaluation.step(program, "seconds-%s-%s" % (KIND, variant.workload), content(binary),
                           lambda: program.run(binary, variant.workload).cpu_seconds)
    times = max(1, round(variant.seconds / max(once, 0.01)))
    path = evaluation.data(program, _step_name("recording", variant)) + ".perf.data"

    def work():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        for old in (path, path + ".old"):
            if os.path.exists(old):
                os.remove(old)
        directory = tempfile.mkdtemp(prefix="run-", dir=program.root)
        try:
            command, environment = program.command(binary, variant.workload)
            outcome = run_measured([evaluation.softlbr.path, "record", *variant.options, "-o", path, "--",
                                    *_repeated(command, times)], directory, environment, 3600)
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        if not os.path.exists(path):
            raise StepFailed("softlbr record: status %d, no recording" % outcome.status)
        said = re.search(r"recorded ([\d.]+) s of CPU time at ([\d.]+) % overhead", outcome.errors)
        return {"file": path, "runs": times, "cpu_seconds": outcome.cpu_seconds,
                "overhead": float(said.group(2)) if said else None, "load": round(os.getloadavg()[0], 1)}

    return evaluation.step(program, _step_name("recording", variant),
                           [content(binary), variant.workload, variant.options, times,
                            evaluation.softlbr.recorder_build()], work)


def _as_text(evaluation, program, variant, recorded):
    path = evaluation.data(program, _step_name("recording", variant)) + ".txt"

    def work():
        with open(path, "w", encoding="utf-8") as file:
            done = subprocess.run(["perf", "script", "-i", recorded["file"], "-F", "comm,pid,tid,time,event,brstack",
                                   "--show-mmap-events"], stdout=file, stderr=subprocess.DEVNULL)
        if done.returncode:
            raise StepFailed("perf script: status %d" % done.returncode)
        return dict(recorded, file=path)

    return evaluation.step(program, _step_name("recording", variant), _identity(recorded["file"]), work)


def _identity(path):
    """What a file is, without reading it all."""
    status = os.stat(path)
    return [path, status.st_size, status.st_mtime_ns]


def module(program, binary):
    """The file whose profile is judged: the program, or the library that its work is in."""
    name = program.entry.get("module")
    if not name:
        return binary
    done = subprocess.run(["ldd", binary], stdout=subprocess.PIPE, text=True)
    found = re.search(r"%s => (\S+)" % re.escape(name), done.stdout)
    if not found:
        raise StepFailed("%s does not load %s" % (program.name, name))
    return os.path.realpath(found.group(1))


def _exact(evaluation, program, workload, binary):
    """The exact counts of a workload as a profile of the binary: small, and read at once."""
    files = evaluation.exact(program, KIND, workload)["files"]
    path = evaluation.data(program, "verdicts-exact-%s.preagg" % workload)

    def work():
        # Exact counts are used whatever a verdict says of them.
        evaluation.softlbr.convert(binary, files, {"preagg": path}, ["--force"])
        return {"file": path}

    return evaluation.step(program, "verdicts-exact-" + workload, [content(binary), [_identity(file) for file in files]],
                           work)["file"]


def _judge(evaluation, program, variant, recorded):
    """What is said of a recording, and what is true."""
    binary = module(program, evaluation.base(program, KIND))
    exact = _exact(evaluation, program, variant.workload, binary)

    def work():
        softlbr = evaluation.softlbr
        with tempfile.TemporaryDirectory() as directory:
            counts = os.path.join(directory, "counts")
            said = softlbr.convert(binary, [recorded["file"]], {"preagg": counts}, ["--force"])
            found = softlbr.compare(binary, counts, exact)
        checked = softlbr.check(binary, recorded["file"])
        return {"check": checked, "levels": found["scores"], "poor": said["poor"]}

    return evaluation.step(program, _step_name("judged", variant),
                           [_identity(recorded["file"]), content(binary, exact), evaluation.softlbr.build()], work)


def measure(evaluation, program):
    """variant -> what was recorded, said, and is true"""
    wanted = [workload for workload in WORKLOADS if workload in evaluation.families] or WORKLOADS
    found = {}
    for variant in VARIANTS:
        if variant.workload not in wanted or (variant.kinds and program.entry["kind"] not in variant.kinds):
            continue
        try:
            recorded = (_as_text(evaluation, program, variant, found[variant.text_of]["recorded"]) if variant.text_of
                        else _record(evaluation, program, variant))
            found[variant.name] = {"recorded": recorded}
            found[variant.name].update(_judge(evaluation, program, variant, recorded))
        except KeyError:
            evaluation.miss(NAME, program, variant.name, StepFailed("no recording to print"))
        except (StepFailed, OutOfTime) as reason:
            evaluation.miss(NAME, program, variant.name, reason)
    return {name: row for name, row in found.items() if "levels" in row}


def wilson(part, whole):
    """Of a share, what it may be (95 %), in percent."""
    if not whole:
        return None, None
    z, p = 1.96, part / whole
    centre, scale = p + z * z / (2 * whole), 1 + z * z / whole
    half = z * math.sqrt(p * (1 - p) / whole + z * z / (4 * whole * whole))
    return 100 * max(0, centre - half) / scale, 100 * min(1, (centre + half) / scale)


def _share(text, part, whole):
    low, high = wilson(part, whole)
    return [text, whole, part, 100 * part / whole if whole else None, low, high]


def _claims(rows):
    """What verdicts promise, of the rows of a part."""
    good = [row for row in rows if row["verdict"] == "good"]
    true = [row for row in rows if row["true"] >= GOOD]
    known = [row for row in rows if row["low"] is not None]
    return [_share("called good: overlap of 90 or more", sum(row["true"] >= GOOD for row in good), len(good)),
            _share("overlap of 90 or more: called poor", sum(row["verdict"] == "poor" for row in true), len(true)),
            _share("overlap of 90 or more: called good", sum(row["verdict"] == "good" for row in true), len(true)),
            _share("overlap is in the interval", sum(row["low"] <= row["true"] <= row["high"] for row in known),
                   len(known))]


def rows_of(results):
    """A row for each recording: who was recorded how, what is said and what is true; shares from 0 to 1."""
    rows = []
    for program, found in results:
        for variant, result in found.items():
            said = result["check"]
            rows.append({"program": program.name, "part": program.entry["part"], "kind": program.entry["kind"],
                         "variant": variant, "traces": said["traces"], "noise": said.get("sampling_noise"),
                         "timed": said.get("timed"), "spread": said.get("spread"), "value": said.get("overlap"),
                         "low": said.get("overlap_low"), "high": said.get("overlap_high"),
                         "verdict": said["verdict"], "true": result["levels"]["branch"],
                         "function": result["levels"].get("function"), "load": result["recorded"]["load"]})
    return rows


def _percent(value):
    return None if value is None else 100 * value


def present(evaluation, results):
    rows = rows_of(results)
    parts = [part for part in ("tuned", "held", "unseen") if any(row["part"] == part for row in rows)]
    claims = [[part, *claim] for part in parts for claim in _claims([row for row in rows if row["part"] == part])]
    each = [[row["program"], row["part"], row["variant"], row["traces"], _percent(row["noise"]), _percent(row["timed"]),
             _percent(row["value"]), _percent(row["low"]), _percent(row["high"]), _percent(row["true"]),
             _percent(row["function"]), row["verdict"], row["load"]] for row in rows]
    return [Section(
        NAME, TITLE,
        "%d recordings of %d programs: the overlap of taken branches that `softlbr check` expects, with its interval, "
        "beside the overlap with exact counts (callgrind); in percent. Programs are tuned, by which limits were chosen, "
        "or held, which were put aside by name before and looked at once. Low and high of the first table are Wilson "
        "intervals (95 %%). \"As text\" is what perf script prints of the recording above it." %
        (len(rows), len({row["program"] for row in rows})),
        [table(["programs", "of those", "recordings", "number", "share", "low", "high"], claims),
         table(["program", "part", "recording", "traces", "noise", "timed", "expected", "low", "high", "true",
                "functions", "verdict", "load"], each)], [])]
