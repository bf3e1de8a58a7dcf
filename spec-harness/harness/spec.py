# SPDX-License-Identifier: MIT
"""SPEC CPU2006 and CPU2017, where the user has them: benchmarks as programs.

Written after SPEC's documents (runspec, runcpu, config files, "Avoiding runspec": specinvoke and the run
directories). SPEC's own tools build each variant and set up its run directories; the commands that
`specinvoke -n` prints are then run here, with the binary and the wrapper that an experiment asks for.
Workloads: train is SPEC's train, ref its ref, short its test input."""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

from .measure import Outcome, run_measured
from .program import last_line
from .store import Skipped, StepFailed

SIZES = {"train": "train", "ref": "ref", "short": "test"}

CONFIG_2006 = """\
ext = {label}
action = build
tune = base
output_format = text
ignore_errors = no
makeflags = -j{jobs}
default=default=default=default:
CC = {cc}
CXX = {cxx}
FC = false
default=base=default=default:
COPTIMIZE = {flags}
CXXOPTIMIZE = {flags}
LDOPT = {link_flags}
default=default=default=default:
PORTABILITY = -DSPEC_CPU_LP64
"""
CONFIG_2017 = """\
label = {label}
action = build
tune = base
output_format = text
makeflags = --jobs={jobs}
default:
   CC = {cc}
   CXX = {cxx}
   FC = false
   CC_VERSION_OPTION = --version
   CXX_VERSION_OPTION = --version
   FC_VERSION_OPTION = --version
   PORTABILITY = -DSPEC_LP64 -DSPEC_LINUX_X64
default=base:
   OPTIMIZE = {flags}
   LDFLAGS = {link_flags}
"""


class Installation:
    """An installed SPEC: its year, its benchmarks, and the calls of its tools."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        if os.path.isdir(os.path.join(self.path, "benchspec", "CPU2006")):
            self.year, self.runner, self.benchspec = 2006, "runspec", "CPU2006"
        elif os.path.isdir(os.path.join(self.path, "benchspec", "CPU")):
            self.year, self.runner, self.benchspec = 2017, "runcpu", "CPU"
        else:
            sys.exit("spec-harness: %s: no benchspec/CPU2006 and no benchspec/CPU: give the directory "
                     "where SPEC CPU2006 or CPU2017 is installed" % self.path)
        if not os.path.exists(os.path.join(self.path, "shrc")):
            sys.exit("spec-harness: %s has no shrc: was SPEC's install.sh run?" % self.path)

    def directory(self, benchmark):
        return os.path.join(self.path, "benchspec", self.benchspec, benchmark)

    def benchmarks(self):
        """Names of the benchmarks in C and C++: those without Fortran sources."""
        found = []
        for path in sorted(glob.glob(self.directory("[0-9][0-9][0-9].*"))):
            sources = [name for _, _, names in os.walk(os.path.join(path, "src")) for name in names]
            if sources and not any(name.lower().endswith((".f", ".f90", ".f95")) for name in sources):
                found.append(os.path.basename(path))
        return found

    def call(self, command, limit=7200, directory=None):
        """A command of SPEC's, in the environment that shrc makes."""
        return subprocess.run(["bash", "-c", "cd '%s' && . ./shrc >/dev/null && cd '%s' && exec \"$@\"" %
                               (self.path, directory or self.path), "spec"] + command,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit)

    def configure(self, label, toolchain, flags, link_flags, jobs):
        text = (CONFIG_2006 if self.year == 2006 else CONFIG_2017).format(
            label=label, cc=toolchain.cc, cxx=toolchain.cxx, flags=flags, link_flags=link_flags,
            jobs=jobs)
        with open(os.path.join(self.path, "config", label + ".cfg"), "w", encoding="utf-8") as file:
            file.write(text)

    def run_directory(self, benchmark, size, label):
        """The newest one that runsetup made; CPU2017 says refrate or refspeed for ref."""
        pattern = os.path.join(self.directory(benchmark), "run", "run_base_%s*_%s*.[0-9]*" %
                               (size, label))
        found = sorted(glob.glob(pattern))
        if not found:
            raise StepFailed("%s: no run directory %s after runsetup" % (benchmark, pattern))
        return found[-1]


class SpecProgram:
    """A benchmark, with the methods of program.Program."""

    def __init__(self, installation, benchmark, root):
        self.installation = installation
        self.name = benchmark
        self.root = root
        self.jobs = 1  # processes of a build
        self.about = {"spec": benchmark, "match": "SPEC CPU%d itself" % installation.year,
                      "what": "SPEC's benchmark", "language": "C or C++", "debian": "", "packages": ""}

    def fetch(self):
        if not os.path.isdir(self.installation.directory(self.name)):
            raise Skipped("%s is not in this installation" % self.name)
        return {"SPEC CPU%d" % self.installation.year: self._version()}

    def _version(self):
        try:
            with open(os.path.join(self.installation.path, "version.txt"), encoding="utf-8") as file:
                return file.read().strip()
        except OSError:
            return "unknown version"

    def versions(self):
        return self.fetch()

    def inputs(self, _):
        return {}

    def build(self, directory, toolchain, flags, link_flags="", prefix=()):
        if prefix:
            raise Skipped("%s takes its compiler from a configuration file, so that %s can't name another" %
                          (self.installation.runner, os.path.basename(prefix[0])))
        # A directory is one label, and so one build directory of SPEC's: gcc finds the counts of an
        # instrumented build by the path of the object.
        label = "softlbr" + hashlib.sha256(directory.encode()).hexdigest()[:12]
        self.installation.configure(label, toolchain, flags, link_flags, self.jobs)
        runner = [self.installation.runner, "--config", label + ".cfg", "--tune", "base", "--noreportable"]
        self._demand(runner + ["--action", "build", "--rebuild", self.name], "build")
        for size in SIZES.values():
            self._demand(runner + ["--action", "runsetup", "--size", size, self.name],
                         "set up the %s input" % size)
        found = sorted(glob.glob(os.path.join(self.installation.directory(self.name), "exe",
                                              "*_base.%s*" % label)), key=os.path.getmtime)
        if not found:
            raise StepFailed("%s: the build left no executable in exe/" % self.name)
        os.makedirs(directory, exist_ok=True)
        target = os.path.join(directory, self.name)
        shutil.copy2(found[-1], target)
        with open(os.path.join(directory, "label"), "w", encoding="utf-8") as file:
            file.write(label)
        self._remember(label)
        return target

    def _remember(self, label):
        """Inputs are the same whatever binary runs: the label of the last build finds them."""
        with open(os.path.join(self.root, self.name + ".label"), "w", encoding="utf-8") as file:
            file.write(label)

    def _demand(self, command, what):
        done = self.installation.call(command)
        if done.returncode:
            raise StepFailed("%s: %s could not %s: %s" % (self.name, command[0], what,
                                                          last_line(done.stdout)))

    def commands(self, directory):
        """What specinvoke would run, as shell lines without the environment."""
        done = self.installation.call(["specinvoke", "-n", "speccmds.cmd"], 60, directory)
        if done.returncode:
            raise StepFailed("%s: specinvoke: %s" % (self.name, last_line(done.stdout)))
        lines = [line.strip() for line in done.stdout.splitlines()]
        return [line for line in lines if line and not line.startswith("#") and
                not line.startswith("specinvoke exit")]

    def run(self, binary, workload, wrapper=None, limit=7200):
        with open(os.path.join(self.root, self.name + ".label"), encoding="utf-8") as file:
            label = file.read()
        prepared = self.installation.run_directory(self.name, SIZES[workload], label)
        commands = self.commands(prepared)
        place = tempfile.mkdtemp(prefix="run-", dir=self.root)
        directory = os.path.join(place, os.path.basename(prepared))
        try:
            shutil.copytree(prepared, directory, symlinks=True)
            before = self._files(directory)
            script = "set -e\n" + "\n".join(self._with_binary(line, binary, wrapper)
                                            for line in commands)
            outcome = run_measured(["bash", "-c", script], directory, dict(os.environ), limit)
            if outcome.status:
                raise StepFailed("%s on %s: status %d: %s" % (self.name, workload, outcome.status,
                                                              last_line(outcome.errors)))
            after = self._files(directory)
            written = {name: digest for name, digest in after.items() if before.get(name) != digest}
            return Outcome.of_output(outcome, repr(sorted(written.items())).encode())
        finally:
            shutil.rmtree(place, ignore_errors=True)

    @staticmethod
    def _with_binary(line, binary, wrapper):
        """The command with our binary in place of the executable, its first word."""
        words = line.split(None, 1)
        executable = "'%s'" % binary
        rest = words[1] if len(words) > 1 else ""
        return "%s%s %s" % ("'%s' " % wrapper if wrapper else "", executable, rest)

    @staticmethod
    def _files(directory):
        """Name -> digest of all files, but for what goes to standard error."""
        found = {}
        for path, _, names in os.walk(directory):
            for name in names:
                if re.search(r"\.(err|cmp)$", name):
                    continue
                full = os.path.join(path, name)
                with open(full, "rb") as file:
                    found[os.path.relpath(full, directory)] = hashlib.sha256(file.read()).hexdigest()
        return found


def programs(path, root, only):
    installation = Installation(path)
    names = only.split(",") if only else installation.benchmarks()
    return [SpecProgram(installation, name, root) for name in names]
