# SPDX-License-Identifier: MIT
"""Running and measuring: CPU time of a command and its children, instructions by callgrind,
interleaved rounds and their medians."""
import dataclasses
import glob
import hashlib
import os
import re
import resource
import statistics
import stat
import subprocess
import tempfile

from .store import StepFailed


@dataclasses.dataclass
class Outcome:
    status: int
    cpu_seconds: float  # user and system, children included
    errors: str  # what went to standard error, the end of it
    digest: str = ""  # of the checked output

    @classmethod
    def of_output(cls, outcome, output):
        return dataclasses.replace(outcome, digest=hashlib.sha256(output).hexdigest()[:16])


def content(*paths):
    """What files say: a step that reads them is done anew if it changes."""
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def run_measured(command, directory, environment, limit):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as errors:
        try:
            status = subprocess.run(command, cwd=directory, env=environment, timeout=limit,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=errors).returncode
        except subprocess.TimeoutExpired:
            raise StepFailed("took over %d s" % limit) from None
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - 20000))
        text = errors.read().decode(errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Outcome(status, cpu, text)


class Wrapper:
    """A script that runs its arguments under a tool, and gives each execution a number of its own: N
    in the tool's command stands for it. Without a tool it costs what the script costs: plain runs that are
    compared with a tool's have one too. It begins no program of its own, which a workload of many short
    executions would count as the tool's."""

    def __init__(self, directory, command=()):
        self.directory = directory
        self.path = os.path.join(directory, "wrapper")
        words = " ".join("'%s'" % word.replace("'", "'\\''").replace("@N@", "'$n'") for word in command)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nset -C\nn=0\nuntil { true >'%s/execution-'$n; } 2>/dev/null; do "
                       "n=$((n + 1)); done\nexec %s \"$@\"\n" % (directory, words))
        os.chmod(self.path, os.stat(self.path).st_mode | stat.S_IXUSR)

    def files(self, pattern):
        def number(path):
            return [int(n) for n in re.findall(r"\d+", os.path.basename(path))]

        return sorted(glob.glob(os.path.join(self.directory, pattern)), key=number)


def _without_debug_information(binary, directory):
    """A copy of the same name: Valgrind 3.19 ends on the DWARF 5 of clang. strip can't copy what llvm-bolt
    wrote, whose sections are outside of their segments: that is counted as it is."""
    with open(binary, "rb") as file:
        if b".note.bolt_info" in file.read():
            return binary
    path = os.path.join(directory, os.path.basename(binary))
    subprocess.run(["strip", "-g", "-o", path, binary], check=True)
    return path


def callgrind(program, binary, workload, directory, exact=False):
    """(instructions, output digest, files): files hold counts of every instruction and jump if exact."""
    os.makedirs(directory, exist_ok=True)
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=%s/callgrind.@N@" % directory]
    if exact:
        command += ["--dump-instr=yes", "--collect-jumps=yes", "--skip-plt=no"]
    wrapper = Wrapper(directory, command)
    outcome = program.run(_without_debug_information(binary, directory), workload, wrapper.path)
    files = wrapper.files("callgrind.*")
    instructions = 0
    for path in files:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                found = re.match(r"(?:totals|summary): (\d+)", line)
                if found:
                    instructions += int(found.group(1))
                    break
            else:
                raise StepFailed("callgrind left no total in %s" % path)
    return instructions, outcome.digest, files


def taken_branches(files):
    """Jumps that were taken, and calls, by callgrind's exact counts."""
    taken = 0
    for path in files:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                found = re.match(r"(?:jump=|jcnd=|calls=)(\d+)", line)
                taken += int(found.group(1)) if found else 0
    return taken


def spread(values):
    """median, first and third quartile of some figures"""
    values = sorted(values)
    if len(values) < 2:
        return {"median": values[0], "low": values[0], "high": values[0], "n": len(values)}
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": statistics.median(values), "low": low, "high": high, "n": len(values)}


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else None


def arithmetic_mean(values):
    """Of those that are there; None of none."""
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None
