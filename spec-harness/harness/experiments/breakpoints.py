# SPDX-License-Identifier: MIT
"""Break Dancing's Figure 6: the cost of a breakpoint against the number of threads."""
import json
import os
import subprocess

from ..report import Section, chart, table
from ..store import Skipped, StepFailed

NAME = "breakpoints"
THREADS = "1,2,4,8,16,32,64,128,400"
TITLE = "Breakpoint cost against threads (Break Dancing, Figure 6)"


def measure_machine(evaluation):
    def work():
        path = os.path.join(evaluation.out, "data", "breakpoints.json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        program = os.path.join(os.path.dirname(evaluation.softlbr.path), "benchmarks", "breakpoints")
        if not os.path.exists(program):
            raise Skipped("%s is not there: build softlbr from its sources" % program)
        command = [program, "--threads=" + THREADS, "--json=" + path]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise StepFailed("%s: %s" % (" ".join(command), done.stderr.strip()))
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    return evaluation.store.step("machine/breakpoints", [evaluation.version, THREADS], work)


def present_machine(result):
    rows = [[row["delivery"], row["threads"], row["set_us"], row["set_hit_us"]]
            for row in result["rows"]]
    series = {}
    for delivery, threads, _, hit in rows:
        series.setdefault("set and hit, %s" % delivery, []).append((threads, hit))
    for delivery, threads, set_us, _ in rows:
        series.setdefault("set, %s" % delivery, []).append((threads, set_us))
    return [Section(
        "figure6", "Breakpoint cost against threads (Figure 6)",
        "Microseconds of the threads' own CPU time to set a breakpoint, and to set and hit it, by number "
        "of threads, which share nothing, on %s processors. The paper has 0.9 to 3.3 us to set one with a "
        "single thread, about 9 us to set and hit it, and linear growth with contention on machines of 100 "
        "and more hardware threads, which this machine cannot show." % result["processors"],
        [table(["delivery", "threads", "set, us", "set and hit, us"], rows)],
        [chart("figure6", "microseconds", series,
               "A flat line means that threads do not wait for each other in the kernel. Setting a "
               "breakpoint costs the same with both kinds of signal delivery, so these two lines coincide.",
               lines=True, xlabel="threads", range="0:*")])]
