# SPDX-License-Identifier: MIT
"""One evaluation: what all experiments share. Builds, training recordings, exact counts and profiles are
steps here, so that each is made once whatever experiment asks first."""
import dataclasses
import os
import re
import shutil

from . import toolchain
from .compiler_log import logged
from .measure import callgrind, content
from .softlbr import fresh
from .store import OutOfTime, Skipped, StepFailed


@dataclasses.dataclass
class Options:
    runs: int  # timed rounds
    intervals: list  # sampling intervals, as --period takes them
    timed_intervals: list  # of recordings whose overhead is measured
    rest_runs: int  # the same for programs beyond the first full_programs
    rest_intervals: list
    rest_timed_intervals: list
    full_programs: int
    training_seconds: float  # CPU time of the recordings for speedup, by default options
    workload: str  # for what is timed
    recorded_seconds: int = 30  # CPU time of recordings by default options, where ref is timed

    @property
    def share(self):
        """Of the CPU time that is recorded where ref is timed."""
        return {"ref": 1, "train": 1 / 3, "short": 1 / 10}[self.workload]


BASES_BY_KIND = {"gcc": "gcc-base", "clang": "clang-base", "bolt": "bolt-input", "counters": "counters-base"}
BASES = set(BASES_BY_KIND.values())
# The paper's algorithm takes seven times as long at 250 us, and far less data is what users record.
FULL = Options(5, ["250us", "500us", "1ms", "2ms", "4ms"], ["500us", "1ms", "2ms", "4ms", "8ms"],
               3, ["250us", "1ms", "4ms"], ["500us", "2ms", "8ms"], 8,
               3, "ref")
QUICK = Options(2, ["250us", "2ms"], ["500us", "4ms"], 2, ["250us", "2ms"], ["500us", "4ms"], 5,
                3, "train")
SMOKE = Options(1, ["250us", "2ms"], ["250us", "2ms"], 1, ["250us", "2ms"], ["250us", "2ms"], 2,
                1, "short")


class Evaluation:
    """out: a directory, kept; programs: in order."""

    def __init__(self, out, store, programs, softlbr, options):
        self.out = out
        self.store = store
        self.programs = programs
        self.softlbr = softlbr
        self.options = options
        self.version = softlbr.version()
        self.reach = options.runs  # rounds to begin at most: see experiments.run
        self.lbr = None  # a directory of the user's hardware recordings, PROGRAM.perf.data
        self.families = ()  # of compilers: see experiments.run
        self.last_miss = None  # the exception behind the last part that is missing
        self.missing = []  # (experiment, program, status, reason) of parts of a program's results

    def step(self, program, name, key, work):
        return self.store.step("%s/%s" % (program.name, name), key, work)

    def rounds(self, place, name, key, variants, count):
        """variants: name -> function that runs it once and returns a value. All of them in each round,
        the order turned each time, each round a step of its own: name -> values in order of rounds, of
        those rounds that there was time for."""
        def work(turn):
            order = list(variants) if turn % 2 else list(reversed(variants))
            return {variant: variants[variant]() for variant in order}

        done = []
        for turn in range(min(count, self.reach)):
            try:
                done.append(self.store.step("%s/%s-round-%d" % (place, name, turn + 1), key,
                                            lambda turn=turn: work(turn)))
            except OutOfTime:
                break
        if not done:
            raise OutOfTime("%s/%s-round-1" % (place, name))
        return {variant: [values[variant] for values in done] for variant in variants}

    def data(self, program, name):
        return os.path.join(self.out, "data", program.name, name)

    def is_full(self, program):
        return program in self.programs[:self.options.full_programs]

    def intervals(self, program):
        return self.options.intervals if self.is_full(program) else self.options.rest_intervals

    def timed_intervals(self, program):
        return self.options.timed_intervals if self.is_full(program) else self.options.rest_timed_intervals

    def runs(self, program):
        return self.options.runs if self.is_full(program) else self.options.rest_runs

    def miss(self, experiment, program, part, reason):
        """A part of a program's results that is not there, for the report."""
        self.last_miss = reason
        self.missing.append((experiment, program.name + ", " + part,
                             {OutOfTime: "not begun", Skipped: "skipped"}.get(type(reason), "failed"),
                             str(reason)))

    # Sources, inputs, builds

    def prepare(self, program):
        # Programs have sources and inputs in common.
        with self.store.claim("sources", wait=True):
            versions = self.step(program, "fetch", program.about, program.fetch)
            self.step(program, "inputs", versions, lambda: program.inputs(toolchain.gcc().cc))
        return versions

    def build(self, program, name, compiler, flags, link_flags="", key=None, place=None, also=dict):
        """Path of the program; built once, and proven by the output of the short workload. place: of builds
        whose objects must have the same paths, which gcc knows counters by; the program alone is kept. also:
        what more there is to say after the build."""
        directory = self.data(program, "build-" + (place or name))

        def work():
            shutil.rmtree(directory, ignore_errors=True)
            path = program.build(directory, compiler, flags, link_flags)
            kept = os.path.join(directory, program.name)
            if place:
                kept = os.path.join(fresh(self.data(program, "build-" + name)), program.name)
                shutil.move(path, kept)
            return dict(also(), binary=kept if os.path.exists(kept) else path,
                        output=program.run(kept, "short").digest)

        self.prepare(program)
        built = self.step(program, "build-" + name,
                          [compiler.version(), flags, link_flags, key], work)
        if name not in BASES:
            self.demand_output(program, name.split("-")[0], "short", built["output"],
                               "the rebuilt program (%s)" % name)
        return built

    def gcc_base(self, program):
        return self.build(program, "gcc-base", toolchain.gcc(), toolchain.GCC_BASE)["binary"]

    def clang_base(self, program):
        return self.build(program, "clang-base", toolchain.clang(), toolchain.CLANG_BASE)["binary"]

    def bolt_input(self, program):
        return self.build(program, "bolt-input", toolchain.gcc(), toolchain.BOLT_INPUT,
                          "-Wl,-q")["binary"]

    def counters_compiler(self, program):
        return logged(toolchain.gcc(), self.data(program, "counters-compiler"))

    def counters_base(self, program):
        return self.build(program, "counters-base", self.counters_compiler(program), toolchain.COUNTERS_BASE,
                          place="counters")["binary"]

    def output(self, program, kind, workload):
        """Digest of what the base build of a compiler prints: what everything else of this compiler
        must print (two compilers may differ in floating point)."""
        binary = self.base(program, kind)
        return self.step(program, "output-%s-%s" % (kind, workload), content(binary),
                         lambda: program.run(binary, workload).digest)

    def demand_output(self, program, kind, workload, digest, what):
        if digest != self.output(program, kind, workload):
            raise StepFailed("OUTPUT DIFFERS: %s prints something else on %s than the %s build" %
                             (what, workload, BASES_BY_KIND[kind]))

    # Profiles

    def base(self, program, kind):
        return {"gcc": self.gcc_base, "clang": self.clang_base, "bolt": self.bolt_input,
                "counters": self.counters_base}[kind](program)

    def record(self, program, kind, workload, period, depth, repeat=1, name=None, stats=False, options=()):
        """Recordings of a workload run several times, the number of their traces, what softlbr says that they cost
        (per cent), and on demand their statistics (which cost as much as some of the short workloads). None leaves
        a setting to softlbr."""
        binary = self.base(program, kind)
        name = name or "record-%s-%s" % (kind, workload)
        directory = self.data(program, name)

        def work():
            wrapper = self.softlbr.recorder(fresh(directory), period=period, depth=depth, stats=stats,
                                            options=options)
            cpu = traces = recorded = spent = 0
            for _ in range(repeat):
                outcome = program.run(binary, workload, wrapper.path)
                self.demand_output(program, kind, workload, outcome.digest, "a recorded run")
                cpu += outcome.cpu_seconds
                traces += sum(int(number) for number in
                              re.findall(r"^softlbr: recorded.*: (\d+) samples?,", outcome.errors, re.MULTILINE))
                for seconds, percent in re.findall(r"recorded ([\d.]+) s of CPU time at ([\d.]+) % overhead",
                                                   outcome.errors):
                    recorded += float(seconds)
                    spent += float(seconds) * float(percent)
            statistics = self.softlbr.statistics(wrapper)
            return {"files": wrapper.files("*.perf.data"), "traces": traces, "statistics": statistics,
                    "overhead": spent / recorded if recorded else None,
                    "cpu_seconds": cpu - statistics["calibration_s"]}

        self.output(program, kind, workload)
        return self.step(program, name, [content(binary), workload, period, depth, repeat, self.version,
                                         *options], work)

    def exact(self, program, kind, workload="short"):
        """Counts of every instruction and jump, as files of callgrind's."""
        binary = self.base(program, kind)
        directory = self.data(program, "exact-%s-%s" % (kind, workload))

        def work():
            if not shutil.which("valgrind"):
                raise Skipped("no valgrind here")
            instructions, digest, files = callgrind(program, binary, workload, fresh(directory),
                                                    exact=True)
            self.demand_output(program, kind, workload, digest, "a run under callgrind")
            return {"files": files, "instructions": instructions}

        self.output(program, kind, workload)
        return self.step(program, "exact-%s-%s" % (kind, workload), content(binary), work)

    def record_for(self, seconds, program, kind, workload, name=None, options=()):
        """Recordings by default options of as many runs as take so much CPU time."""
        binary = self.base(program, kind)
        once = self.step(program, "seconds-%s-%s" % (kind, workload), content(binary),
                         lambda: program.run(binary, workload).cpu_seconds)
        times = max(1, min(200, round(seconds / max(once, 0.01))))
        return self.record(program, kind, workload, None, None, times, name, options=options)

    def training(self, program, kind, workload="train"):
        return self.record_for(self.options.training_seconds, program, kind, workload)

    def profile(self, program, kind, source, form, options=()):
        """A profile file from our training recording (ours), from our recording of another workload (its
        name), or from exact counts of the short workload (exact)."""
        binary = self.base(program, kind)
        if source == "exact":
            files = self.exact(program, kind)["files"]
        else:
            files = self.training(program, kind, "train" if source == "ours" else source)["files"]
        path = self.data(program, "%s-%s.%s" % (kind, source, form))
        name = "profile-%s-%s-%s" % (kind, source, form)

        def work():
            os.makedirs(os.path.dirname(path), exist_ok=True)
            return dict(self.softlbr.convert(binary, files, {form: path}, options), file=path)

        return self.step(program, name, [content(binary, *files), list(options), self.version],
                         work)["file"]
