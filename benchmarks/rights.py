#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rights.py SOFTLBR [OUT.json]: as whom, and where, softlbr records. As root, to try less from there.

In each surrounding that this machine has: what `doctor` says, and what `record` gets, of a command and of a process
that runs already (-p). Where the kernel has not what is to be tried, a seccomp filter (tests/live/refuse.c) gives the same
errors: those rows are marked. With OUT.json, a section of docs/evaluation is written.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import section

HERE = os.path.dirname(os.path.abspath(__file__))
LIVE = os.path.join(HERE, "..", "tests", "live")
USER = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--bounding-set", "-all", "--inh-caps", "-all"]
WAYS = {"in-process": "from inside", "ptrace": "from outside", "none": "not at all"}


def surroundings(work):
    """Name, is an error emulated, whose process is attached to, and what to begin the command with."""
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        paranoid = file.read().strip()
    refuse = os.path.join(work, "refuse")
    three = os.path.join(work, "paranoid")
    with open(three, "w", encoding="ascii") as file:
        file.write("3\n")
    stricter = ["unshare", "-m", "sh", "-c",
                "mount --bind %s /proc/sys/kernel/perf_event_paranoid && exec \"$0\" \"$@\"" % three]
    boxed = ["bwrap", "--ro-bind", "/", "/", "--bind", work, work, "--dev", "/dev", "--chdir", work]
    return (
        ("root", False, [], []),
        ("user, perf_event_paranoid %s" % paranoid, False, USER, USER),
        ("user, perf_event_paranoid 3 (Debian, Ubuntu)", True, USER, [*stricter, *USER, refuse, "debian"]),
        ("user, may not trace (ptrace_scope 3)", True, USER, [*USER, refuse, "ptrace"]),
        ("root, Docker's seccomp filter", True, [], [refuse, "container"]),
        ("user, Docker's seccomp filter", True, USER, [*USER, refuse, "container"]),
        ("root of a user namespace", False, [], ["unshare", "-Ur"]),
        ("user, read-only root directory", False, USER, [*USER, *boxed, "--proc", "/proc"]),
        ("user, no /proc", False, USER, [*USER, *boxed, "--tmpfs", "/proc"]),
    )


def run(command, work):
    return subprocess.run(command, cwd=work, capture_output=True, text=True, check=False, timeout=120)


def says(result):
    """What `record` got, or its reason."""
    found = re.search(r": (\d+) samples?\b", result.stderr)
    if result.returncode == 0 and found and int(found[1]):
        return found[1]
    reason = re.sub(r"^softlbr( record)?: (error: )?", "", (result.stderr.strip().splitlines() or ["no reason"])[-1])
    reason = re.sub(r"( process) \d+", r"\1", re.split(r" \(ptrace", reason)[0])
    return "%s (%d)" % (reason, result.returncode)


def try_in(prefix, owner, work):
    if run([*prefix, "true"], work).returncode:
        return "not here", "", ""
    doctor = run([*prefix, "./softlbr", "doctor", "--json"], work)
    way = WAYS[json.loads(doctor.stdout)["way"]] if doctor.stdout else says(doctor)
    record = [*prefix, "./softlbr", "record", "-c", "1ms", "--timer-correction=off", "-o"]
    command = run([*record, "command.data", "--", "./busy", "400000000"], work)
    with subprocess.Popen([*owner, "./busy", "100000000000"], cwd=work) as process:
        attached = run([*record, "attached.data", "--duration=1s", "-p", str(process.pid)], work)
        process.kill()
    for name in ("command.data", "attached.data"):
        if os.path.exists(os.path.join(work, name)):
            os.unlink(os.path.join(work, name))
    return way, says(command), says(attached)


def prepare(softlbr, work):
    source = os.path.dirname(softlbr)
    for name in ("softlbr", "softlbr-full", "libsoftlbr-collector.so.0"):
        shutil.copy(os.path.join(source, name), work)
    for program, file in (("busy", "budget.c"), ("refuse", "refuse.c")):
        subprocess.run(["cc", "-O2", "-g", "-pthread", "-o", os.path.join(work, program), os.path.join(LIVE, file)], check=True)
    os.chmod(work, 0o777)


TEXT = ("What softlbr doctor says, and the samples that record got at 1 ms of a command and, in one second, of a running "
        "process. * The kernel's errors are given by a seccomp filter.")


def main():
    if len(sys.argv) < 2 or os.getuid():
        sys.exit(__doc__)
    softlbr = os.path.realpath(sys.argv[1])
    rows = []
    with tempfile.TemporaryDirectory() as work:
        prepare(softlbr, work)
        for name, emulated, owner, prefix in surroundings(work):
            rows.append([name + (" *" if emulated else ""), *try_in(prefix, owner, work)])
            print("%-52s %-14s %-40s %s" % tuple(rows[-1]), flush=True)
    if len(sys.argv) > 2:
        section.write(sys.argv[2], "As whom, and where, softlbr records", TEXT, ["surrounding", "doctor", "command", "-p"], rows,
                      "benchmarks/rights.py build/softlbr")


if __name__ == "__main__":
    main()
