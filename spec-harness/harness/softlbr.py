# SPDX-License-Identifier: MIT
"""The program under test: recording, converting and comparing with it."""
import json
import os
import re
import shutil
import subprocess
import tempfile

from .measure import Wrapper, content
from .store import StepFailed

POOR = 5  # the profile is written, and called poor
REFUSED = 6  # it is taken for another binary's, and written with --force alone


def fresh(directory):
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    return directory


class Softlbr:
    def __init__(self, path):
        self.path = path

    def version(self):
        done = subprocess.run([self.path, "--version"], stdout=subprocess.PIPE, text=True)
        return done.stdout.strip()

    def build(self):
        """Which build this is: a few digits of a digest of the program, what it becomes and its collector."""
        directory = os.path.dirname(self.path)
        files = [self.path, *(os.path.join(directory, name) for name in
                              ("softlbr-full", "../libexec/softlbr/softlbr-full", "libsoftlbr-collector.so.0"))]
        return content(*filter(os.path.exists, files))[:12]

    def recorder_build(self):
        """The same of what records alone: recordings are kept when the conversion changes."""
        directory = os.path.dirname(self.path)
        return content(os.path.join(directory, "libsoftlbr-collector.so.0"))[:12]

    def can(self, command, word):
        """Whether a command's help has a word: builds of softlbr differ."""
        done = subprocess.run([self.path, command, "--help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True)
        return done.returncode == 0 and re.search(r"(?<!\w)%s(?!\w)" % re.escape(word), done.stdout) is not None

    def recorder(self, directory, lookahead="full", period=None, depth=16, stats=True, options=()):
        """A wrapper that records each execution to directory/N.perf.data; None leaves it to softlbr."""
        command = [self.path, "record", *options, "--lookahead", lookahead, "-o",
                   "%s/@N@.perf.data" % directory]
        if stats:
            command.append("--stats=%s/@N@.stats.json" % directory)
        if period:
            command += ["-e", "task-clock", "-c", period]
        if depth:
            command += ["-n", str(depth)]
        if depth and depth < 512 and not any(o.startswith("--timer-correction") for o in options):
            command.append("--timer-correction=off")  # as in the papers
        return Wrapper(directory, command + ["--"])

    @staticmethod
    def statistics(wrapper):
        """The sums of the counters over a workload's executions, the size of the recordings, the
        figures of the last, and the CPU time that --stats took: no part of what recording costs."""
        sums, size, figures, costs, calibration = {}, 0, {}, {}, 0
        for path in wrapper.files("*.stats.json"):
            with open(path, encoding="utf-8") as file:
                stats = json.load(file)
            for name, value in stats["counters"].items():
                sums[name] = sums.get(name, 0) + (value or 0)
            for name, value in stats.get("time", {}).items():
                if isinstance(value, (int, float)):
                    costs[name] = costs.get(name, 0) + value
            figures = stats["figures"]
            calibration += (stats["calibration"] or {}).get("spent_s", 0)
        for path in wrapper.files("*.perf.data"):
            size += os.path.getsize(path)
        return {"counters": sums, "figures": figures, "time": costs, "bytes": size,
                "calibration_s": calibration}

    def convert(self, binary, profiles, outputs, options=()):
        """outputs: format -> file. What it printed; a poor profile is used, and said so."""
        command = [self.path, "convert", "--binary", binary]
        for profile in profiles:
            command += ["--profile", profile]
        for form, path in outputs.items():
            command += ["--to", "%s=%s" % (form, path)]
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            done = subprocess.Popen(command + list(options), stdout=said, stderr=subprocess.STDOUT)
            _, state, usage = os.wait4(done.pid, 0)
            done.returncode = os.waitstatus_to_exitcode(state)
            said.seek(0)
            lines = said.read().strip().splitlines() or ["no message"]
        written = all(os.path.exists(path) for path in outputs.values())
        if done.returncode not in (0, POOR) and not (written and done.returncode == REFUSED):
            raise StepFailed("softlbr convert: status %d: %s" % (done.returncode, lines[-1]))
        return {"poor": done.returncode == POOR, "cpu_seconds": usage.ru_utime + usage.ru_stime,
                "peak_mib": usage.ru_maxrss / 1024}

    def scores(self, binary, recordings, exact, options=()):
        """Level -> overlap of recordings with exact counts, 0 to 1, at the binary's addresses;
        "profile_diff", the score of AutoFDO's tool of that name for the two as gcc's profiles; and
        "taken_ratio", the mean error of the taken ratios of conditional jumps. The options are those
        that turn the recordings into counts."""
        with tempfile.TemporaryDirectory() as directory:
            sides = [os.path.join(directory, name) for name in ("estimate", "exact")]
            for side, files, how in zip(sides, (recordings, exact), (options, ())):
                # Recordings too short to be judged are scored all the same.
                self.convert(binary, files, {"preagg": side, "gcov": side + ".gcov"}, [*how, "--force"])
            found = self._diff(["--no-confidence", "--binary", binary] + sides)
            by_source = self._diff([side + ".gcov" for side in sides])
        return dict(found["scores"], taken_ratio=found["taken_ratio"]["error"],
                    profile_diff=by_source["scores"]["function"])

    def overlap(self, binary, recordings, exact, options=()):
        """Overlap of edges with exact counts, 0 to 1."""
        with tempfile.TemporaryDirectory() as directory:
            sides = [os.path.join(directory, name) for name in ("estimate", "exact")]
            for side, files, how in zip(sides, (recordings, exact), (options, ())):
                self.convert(binary, files, {"preagg": side}, [*how, "--force"])
            return self._diff(["--no-confidence", "--binary", binary] + sides)["scores"]["edge"]

    def compare(self, binary, one, other):
        """What `softlbr diff` says of two profiles of a binary."""
        return self._diff(["--no-confidence", "--binary", binary, one, other])

    def check(self, binary, recording):
        """What `softlbr check` says, all of it; and its status."""
        done = subprocess.run([self.path, "check", "--json", "--top=0", "--binary", binary, recording], text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            found = json.loads(done.stdout)
        except ValueError:
            lines = done.stderr.strip().splitlines() or ["no message"]
            raise StepFailed("softlbr check: status %d: %s" % (done.returncode, lines[-1])) from None
        found.pop("functions", None)
        return dict(found, status=done.returncode)

    def _diff(self, arguments):
        done = subprocess.run([self.path, "diff", "--json"] + arguments, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no message"]
            raise StepFailed("softlbr diff: status %d: %s" % (done.returncode, lines[-1]))
        return json.loads(done.stdout)
