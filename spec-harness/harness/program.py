# SPDX-License-Identifier: MIT
"""Programs of the open suite: what a file under programs/ says, and its phases as steps."""
import glob
import os
import shutil
import subprocess
import tempfile

from .measure import Outcome, run_measured
from .store import Skipped, StepFailed

PROGRAMS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs")
RECIPE = os.path.join(PROGRAMS, "recipe.sh")
QUICK = ["bzip2", "hmmer", "sphinx", "gnugo", "xsltproc"]
# The first of them get all intervals and rounds (Options.full_programs): of each kind that SPEC has.
OPEN = QUICK + ["libquantum", "perl", "cc1", "lua", "sqlite3", "x264", "mcf", "tcc", "xz", "glpk", "phalanx"]
SMOKE = ["lbm", "libquantum"]
SLOW_TO_BUILD = ["povray"]
# For the table of compilers' versions: quick to build, the first six for more versions. No rule of the converter was
# chosen with those that are held out, nor may one be.
VERSIONS = ["astar", "bzip2", "lua", "tcc", "sphinx", "tetgen", "mcf", "libquantum", "hmmer", "xz", "gnugo", "xsltproc"]
HELD_OUT = ["sphinx", "tetgen", "gnugo", "xsltproc"]


def names():
    return sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(PROGRAMS, "*.sh"))
                  if path != RECIPE)


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"


class Program:
    """One program: root holds sources and inputs, kept from evaluation to evaluation."""

    def __init__(self, name, root):
        self.name = name
        self.root = root
        self.jobs = 1  # processes of a build
        self.about = self._describe()

    def _environment(self, **more):
        environment = dict(os.environ, ROOT=self.root, JOBS=str(self.jobs))
        for name in ("WRAPPER", "CFLAGS", "CXXFLAGS", "LDFLAGS"):
            environment.pop(name, None)
        environment.update(more)
        return environment

    def _phase(self, phase, limit, prefix=(), **environment):
        try:
            return subprocess.run([*prefix, "sh", RECIPE, self.name, phase], text=True, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, timeout=limit,
                                  env=self._environment(**environment))
        except subprocess.TimeoutExpired:
            raise StepFailed("%s: %s took over %d s" % (self.name, phase, limit)) from None

    def _describe(self):
        done = self._phase("describe", 30)
        if done.returncode:
            raise StepFailed("%s: %s" % (self.name, last_line(done.stdout)))
        return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)

    def fetch(self):
        done = self._phase("fetch", 1200)
        if done.returncode == 75:
            raise Skipped("source not to be had: %s" % last_line(done.stdout))
        if done.returncode:
            raise StepFailed("fetch: %s" % last_line(done.stdout))
        return self.versions()

    def versions(self):
        """Source package -> version, as its changelog or its directory's name says."""
        found = {}
        for package in self.about["debian"].split():
            changelog = os.path.join(self.root, "sources", package, "debian", "changelog")
            found[package] = "upstream's tarball"
            if os.path.exists(changelog):
                with open(changelog, encoding="utf-8", errors="replace") as file:
                    found[package] = file.readline().split("(")[1].split(")")[0]
        return found

    def inputs(self, gcc):
        done = self._phase("inputs", 1200, GCC=gcc)
        if done.returncode:
            raise StepFailed("inputs: %s" % last_line(done.stdout))
        return {}

    def build(self, directory, toolchain, flags, link_flags="", prefix=()):
        """Path of the program, built in directory by a command that prefix begins."""
        done = self._phase("build", 3600, prefix, BUILD=directory, CC=toolchain.cc, CXX=toolchain.cxx,
                           CFLAGS=flags, CXXFLAGS=flags, LDFLAGS=link_flags, GCC=toolchain.cc)
        if done.returncode:
            text = done.stdout
            for path in [path for name in ("configure.log", "make.log")
                         for path in glob.glob(directory + "/**/" + name, recursive=True)]:
                with open(path, encoding="utf-8", errors="replace") as file:
                    errors = [line for line in file if "error" in line.lower()]
                    text += "".join(errors[-1:])
            raise StepFailed("build with %s %s: %s" % (toolchain.cc, flags, last_line(text)))
        return os.path.join(directory, self.name)

    def command(self, binary, workload, wrapper=None):
        """What runs a workload in the working directory, and its environment."""
        return ["sh", RECIPE, self.name, "run", workload], \
            self._environment(BINARY=binary, **({"WRAPPER": wrapper} if wrapper else {}))

    def output(self, binary, directory):
        """What a run in the directory left there that must be the same each time."""
        return subprocess.run(["sh", RECIPE, self.name, "output"], cwd=directory,
                              env=self._environment(BINARY=binary), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout

    def run(self, binary, workload, wrapper=None, limit=3600):
        """Runs a workload with each execution of the program prefixed by the wrapper (a path)."""
        directory = tempfile.mkdtemp(prefix="run-", dir=self.root)
        try:
            command, environment = self.command(binary, workload, wrapper)
            outcome = run_measured(command, directory, environment, limit)
            output = self.output(binary, directory)
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        if outcome.status:
            raise StepFailed("%s on %s: status %d: %s" %
                             (self.name, workload, outcome.status, last_line(outcome.errors)))
        if not output:
            raise StepFailed("%s on %s: no output" % (self.name, workload))
        return Outcome.of_output(outcome, output)
