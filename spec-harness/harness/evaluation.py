# SPDX-License-Identifier: MIT
"""One evaluation: what all experiments share. Builds, training recordings, exact counts and profiles are
steps here, so that each is made once whatever experiment asks first."""
import dataclasses
import os
import shutil

from . import toolchain
from .measure import callgrind
from .softlbr import fresh
from .store import Skipped, StepFailed


@dataclasses.dataclass
class Options:
    runs: int  # timed rounds
    intervals: list  # sampling intervals, as --period takes them
    rest_runs: int  # the same for programs beyond the first full_programs
    rest_intervals: list
    full_programs: int
    training_period: str
    training_depth: int
    workload: str  # for what is timed


FULL = Options(5, ["250us", "500us", "1ms", "2ms", "4ms"], 3, ["250us", "1ms", "4ms"], 8,
               "500us", 64, "ref")
QUICK = Options(2, ["250us", "2ms"], 2, ["250us", "2ms"], 5, "500us", 64, "train")
SMOKE = Options(1, ["250us", "2ms"], 1, ["250us", "2ms"], 2, "250us", 64, "short")


class Evaluation:
    """out: a directory, kept; programs: in order; stop_at: see Store."""

    def __init__(self, out, store, programs, softlbr, options):
        self.out = out
        self.store = store
        self.programs = programs
        self.softlbr = softlbr
        self.options = options
        self.version = softlbr.version()

    def step(self, program, name, key, work):
        return self.store.step("%s/%s" % (program.name, name), key, work)

    def data(self, program, name):
        return os.path.join(self.out, "data", program.name, name)

    def intervals(self, program):
        full = program in self.programs[:self.options.full_programs]
        return self.options.intervals if full else self.options.rest_intervals

    def runs(self, program):
        full = program in self.programs[:self.options.full_programs]
        return self.options.runs if full else self.options.rest_runs

    # Sources, inputs, builds

    def prepare(self, program):
        versions = self.step(program, "fetch", program.about, program.fetch)
        self.step(program, "inputs", versions, lambda: program.inputs(toolchain.gcc().cc))
        return versions

    def build(self, program, name, compiler, flags, link_flags="", key=None):
        """Path of the program; built once, and proven by the output of the short workload."""
        directory = self.data(program, "build-" + name)

        def work():
            shutil.rmtree(directory, ignore_errors=True)
            path = program.build(directory, compiler, flags, link_flags)
            kept = os.path.join(directory, program.name)
            return {"binary": kept if os.path.exists(kept) else path,
                    "output": program.run(kept, "short").digest}

        self.prepare(program)
        return self.step(program, "build-" + name,
                         [compiler.version(), flags, link_flags, key], work)

    def gcc_base(self, program):
        return self.build(program, "gcc-base", toolchain.gcc(), toolchain.GCC_BASE)["binary"]

    def clang_base(self, program):
        return self.build(program, "clang-base", toolchain.clang(), toolchain.CLANG_BASE)["binary"]

    def bolt_input(self, program):
        return self.build(program, "bolt-input", toolchain.gcc(), toolchain.BOLT_INPUT,
                          "-Wl,-q")["binary"]

    def output(self, program, workload):
        """Digest of what the -O2 build prints: what everything else must print."""
        binary = self.gcc_base(program)
        return self.step(program, "output-" + workload, binary,
                         lambda: program.run(binary, workload).digest)

    def demand_output(self, program, workload, digest, what):
        expected = self.output(program, workload)
        if digest != expected:
            raise StepFailed("OUTPUT DIFFERS: %s prints something else on %s than the -O2 build" %
                             (what, workload))

    # Profiles

    def base(self, program, kind):
        return {"gcc": self.gcc_base, "clang": self.clang_base, "bolt": self.bolt_input}[kind](program)

    def record(self, program, kind, workload, period, depth, repeat=1, name=None):
        """Recordings of a workload run several times, and their statistics."""
        binary = self.base(program, kind)
        name = name or "record-%s-%s" % (kind, workload)
        directory = self.data(program, name)

        def work():
            wrapper = self.softlbr.recorder(fresh(directory), period=period, depth=depth)
            cpu = 0
            for _ in range(repeat):
                outcome = program.run(binary, workload, wrapper.path)
                self.demand_kind_output(program, kind, workload, outcome.digest)
                cpu += outcome.cpu_seconds
            return {"files": wrapper.files("*.perf.data"), "cpu_seconds": cpu,
                    "statistics": self.softlbr.statistics(wrapper)}

        return self.step(program, name, [binary, workload, period, depth, repeat, self.version], work)

    def demand_kind_output(self, program, kind, workload, digest):
        """Compilers may differ in floating point; a recording must not."""
        binary = self.base(program, kind)
        expected = self.step(program, "output-%s-%s" % (kind, workload), binary,
                             lambda: program.run(binary, workload).digest)
        if digest != expected:
            raise StepFailed("OUTPUT DIFFERS: the %s build prints something else on %s while recorded" %
                             (kind, workload))

    def exact(self, program, kind, workload="short"):
        """Counts of every instruction and jump, as files of callgrind's."""
        binary = self.base(program, kind)
        directory = self.data(program, "exact-%s-%s" % (kind, workload))

        def work():
            if not shutil.which("valgrind"):
                raise Skipped("no valgrind here")
            instructions, digest, files = callgrind(program, binary, workload, fresh(directory),
                                                    exact=True)
            self.demand_kind_output(program, kind, workload, digest)
            return {"files": files, "instructions": instructions}

        return self.step(program, "exact-%s-%s" % (kind, workload), binary, work)

    def training(self, program, kind, workload="train"):
        return self.record(program, kind, workload, self.options.training_period,
                           self.options.training_depth)

    def profile(self, program, kind, source, form, options=()):
        """A profile file from our training recording (ours), the one of the timed workload (same-input),
        or from exact counts of the short workload (exact)."""
        binary = self.base(program, kind)
        files = {"ours": lambda: self.training(program, kind)["files"],
                 "same-input": lambda: self.training(program, kind, self.options.workload)["files"],
                 "exact": lambda: self.exact(program, kind)["files"]}[source]()
        path = self.data(program, "%s-%s.%s" % (kind, source, form))
        name = "profile-%s-%s-%s" % (kind, source, form)

        def work():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            return dict(self.softlbr.convert(binary, files, {form: path}, options), file=path)

        return self.step(program, name, [binary, files, list(options), self.version], work)["file"]
