# SPDX-License-Identifier: MIT
"""What the evaluation ran on, and what such a machine cannot show."""
import json
import os
import platform
import shlex
import subprocess
import time

from . import toolchain
from .measure import spread
from .store import Skipped


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def _memory_gib():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2 ** 30


def _versions():
    for find in (toolchain.gcc, toolchain.clang):
        try:
            yield find().version()
        except Skipped:
            pass
    try:
        done = subprocess.run([toolchain.bolt(), "--version"], stdout=subprocess.PIPE, text=True)
        yield "llvm-bolt " + next((line.strip() for line in done.stdout.splitlines()
                                   if "version" in line), "")
    except Skipped:
        pass


def _doctor(softlbr):
    """What the machine offers, by `softlbr doctor`: name -> whether it works."""
    done = subprocess.run([softlbr.path, "doctor", "--json"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {}


def _work(store):
    """How long the steps took, who made them, and beside how much other work."""
    steps = [kept for kept in store.kept().values() if kept["status"] == "done"]
    if not steps:
        return
    dates = sorted({kept["made"][0] for kept in steps if "made" in kept})
    makers = sorted({kept["made"][1] for kept in steps if "made" in kept})
    yield ("%d steps, made from %s to %s, took %.1f hours together, and %.2f hours of CPU time, with %s of "
           "softlbr (%s)." %
           (len(steps), dates[0], dates[-1], sum(kept["seconds"] for kept in steps) / 3600,
            sum(kept.get("cpu_seconds", 0) for kept in steps) / 3600,
            "one build" if len(makers) == 1 else "%d builds" % len(makers), ", ".join(makers)))
    timed = [kept["load"] for kept in steps if "-round-" in kept["name"]]
    if timed:
        loads = spread(timed)
        yield ("The load average at the ends of the %d timed rounds was %.1f (quartiles %.1f to %.1f) on %d "
               "processors%s." %
               (len(timed), loads["median"], loads["low"], loads["high"], os.cpu_count() or 1,
                ": the machine was busy with other work, and times of this evaluation are worth little"
                if loads["median"] > 2 * (os.cpu_count() or 1) else ""))


def _commit():
    """Of the sources that the harness is of, and was the program under test as a rule."""
    done = subprocess.run(["git", "-C", os.path.dirname(os.path.abspath(__file__)), "describe", "--always", "--dirty"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip()


def _load(store):
    """", load 1.0": of the timed rounds, if there are any."""
    timed = [kept["load"] for kept in store.kept().values() if kept["status"] == "done" and "-round-" in kept["name"]]
    return ", load %.1f" % spread(timed)["median"] if timed else ""


def made(evaluation, arguments):
    """Where the figures are from, as each section's file has it."""
    commit = _commit()
    return {"softlbr": "%s, %s" % (evaluation.version, commit) if commit else evaluation.version,
            "date": time.strftime("%Y-%m-%d"),
            "machine": "%s, %d processors, Linux %s%s" % (_processor(), os.cpu_count() or 0, platform.release(),
                                                          _load(evaluation.store)),
            "command": shlex.join(["spec-harness/run", *arguments])}


def preface(evaluation, suite):
    text = json.dumps(_doctor(evaluation.softlbr))
    has_branch_events = '"branches"' in text and '"pmu": true' in text
    paragraphs = [
        "%s, suite %s, %s. %s, %d processors, %.0f GiB, Linux %s." %
        (evaluation.version, suite, time.strftime("%Y-%m-%d"), _processor(), os.cpu_count() or 0,
         _memory_gib(), platform.release()),
        "Compilers: %s." % "; ".join(_versions()),
        "Timed runs are interleaved, in alternating order, and CPU time is compared with the plain run of "
        "the same round. Tables have medians, and quartiles where there is room. Instructions are counted "
        "by callgrind, on the short input."]
    paragraphs += _work(evaluation.store)
    if not has_branch_events:
        paragraphs.append(
            "This machine has no branch event, so traces start at random moments of time and not every so "
            "many taken branches. It has no hardware LBR to compare with; the truth is exact counts "
            "instead. With %d processors there is little contention." %
            (os.cpu_count() or 0))
    return paragraphs
