#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""model.py [OPTION...] SOFTLBR MODEL: run the model test (model/) plain and recorded, and compare what it wrote down.

Each seed is a sequence of steps; it runs plain once, and once for each way: from inside and outside, with a sample
each millisecond and each 250 us. Seeds that differ are listed with the step where the first difference is.

  --seeds N | A-B   1 to N (default 30), or A to B
  --steps N         of each sequence (default 1000)
  --ways W,W        of inside-1ms, inside-250us, outside-1ms, outside-250us (default: all)
  --jobs N          at the same time (default 2)
  --seed S          this one only, and show the difference
  --shrink S        leave out steps of this one as long as it differs
  --without W,W     steps by name, TRAP (all about SIGTRAP), ONSTACK: what is known to differ

From outside KICK is always left out: SIGURG and SIGWINCH, one of which stops threads, and which may stay pending in a
thread that blocks it (docs/survival.md).
  --keep DIR        logs of what differs go there
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

WAYS = {f"{side}-{period}": ([] if side == "inside" else ["--ptrace"]) + ["-e", "task-clock", "-c", period, "--timer-correction=off"]
        for side in ("inside", "outside") for period in ("1ms", "250us")}
PLAIN_SECONDS, RECORDED_SECONDS = 60, 120
SHOWN = 30  # lines of a difference
# An event has the lowest free number for some microseconds (docs/survival.md), longer where another process comes in
# between. What differs first in the number of a new descriptor has to do so each time.
NEW_DESCRIPTOR = re.compile(r"(>*\d+ (?:make|dup|signalfd|wait-on)(?:@\d+)? [^=]*= |\d+ limit \d+ more, from )\d+\b.*")
AGAIN = 3


class Runner:
    """Runs sequences in directories of their own."""

    def __init__(self, arguments, scratch):
        self.softlbr, self.model = os.path.realpath(arguments.softlbr), os.path.realpath(arguments.model)
        self.steps, self.keep = arguments.steps, arguments.keep
        self.scratch = pathlib.Path(scratch)

    def run(self, seed, way, left_out="-"):
        """What was written down, lines with what became of the process at the end; and how many samples."""
        place = pathlib.Path(tempfile.mkdtemp(prefix=f"{seed}-{way}-", dir=self.scratch))
        command = [self.model, str(seed), "1", str(self.steps), str(place / "log"), left_out]
        seconds = PLAIN_SECONDS
        environment = dict(os.environ)
        if "outside" in way:
            environment["MODEL_WITHOUT"] = ",".join(filter(None, [environment.get("MODEL_WITHOUT"), "KICK"]))
        if not way.startswith("plain"):
            command = [self.softlbr, "record", *WAYS[way], "-o", str(place / "recording"), "--", *command]
            seconds = RECORDED_SECONDS
        with open(place / "said", "wb") as said:
            child = subprocess.Popen(command, cwd=place, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                     env=environment,
                                     start_new_session=True)
            try:
                status = child.wait(seconds)
                ended = f"status {status if status >= 0 else 128 - status}"
            except subprocess.TimeoutExpired:
                ended = "hangs"
            try:  # its session: children that it left behind, too
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
        said = (place / "said").read_text(errors="replace").splitlines()
        log = place / "log"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        samples = sum(int(count) for count in re.findall(r"(\d+) samples", "\n".join(said)))
        lines += [line for line in said if not line.startswith("softlbr: ")] + [ended]
        shutil.rmtree(place, ignore_errors=True)
        return lines, samples

    def kept(self, seed, way, lines):
        if self.keep:
            os.makedirs(self.keep, exist_ok=True)
            pathlib.Path(self.keep, f"{seed}-{way}").write_text("\n".join(lines) + "\n")

    def compare(self, seed, ways):
        """[(way, where)] of those that differ, all samples, and [way] of plain runs that end themselves early."""
        plains = {way: self.run(seed, way)[0] for way in sorted({plain_of(way) for way in ways})}
        differ, samples = [], 0
        for way in ways:
            plain = plains[plain_of(way)]
            lines, taken = self.run(seed, way)
            for _ in range(AGAIN):
                if not differ_by_descriptor(plain, lines):
                    break
                lines, taken = self.run(seed, way)
            samples += taken
            if lines != plain:
                differ.append((way, difference(plain, lines)))
                self.kept(seed, "plain", plain)
                self.kept(seed, way, lines)
        differ += [(way, "hangs") for way, plain in plains.items() if plain[-1] == "hangs"]
        early = [way for way, plain in plains.items() if len(plain) < self.steps / 2]
        return differ, samples, early


def plain_of(way):
    return "plain-outside" if "outside" in way else "plain"


def first_difference(plain, lines):
    return next((i for i, (a, b) in enumerate(zip(plain, lines)) if a != b), min(len(plain), len(lines)))


def differ_by_descriptor(plain, lines):
    at = first_difference(plain, lines)
    if at >= min(len(plain), len(lines)):
        return False
    made = [NEW_DESCRIPTOR.fullmatch(lines_of[at]) for lines_of in (plain, lines)]
    return all(made) and made[0][1] == made[1][1]


def difference(plain, lines):
    at = first_difference(plain, lines)
    a, b = (lines_of[at] if at < len(lines_of) else "nothing" for lines_of in (plain, lines))
    return f"line {at + 1}: plain {a!r}, recorded {b!r}"


def shrink(runner, seed, ways):
    """Halves the parts that are left out until no part can be: what stays makes the difference."""
    def differs(out):
        left_out = ranges(out)
        return any(runner.run(seed, way, left_out)[0] != runner.run(seed, plain_of(way), left_out)[0]
                   for _ in range(3) for way in ways)

    out, size = set(), runner.steps
    if not differs(out):
        print(f"seed {seed} does not differ")
        return
    while size >= 1:
        for begin in range(1, runner.steps + 1, size):
            part = set(range(begin, begin + size)) - out
            if part and differs(out | part):
                out |= part
        size //= 2
        print(f"seed {seed}: {runner.steps - len(out & set(range(1, runner.steps + 1)))} steps are left", flush=True)
    print("left out:", ranges(out))
    print("steps:", [step for step in range(1, runner.steps + 1) if step not in out])


def ranges(steps):
    """{1, 2, 3, 7} as "1-3,7"."""
    parts, steps = [], sorted(steps)
    for step in steps:
        if parts and step == parts[-1][1] + 1:
            parts[-1][1] = step
        else:
            parts.append([step, step])
    return ",".join(f"{a}-{b}" for a, b in parts) or "-"


def show(runner, seed, ways):
    same = True
    for way in ways:
        plain, _ = runner.run(seed, plain_of(way))
        lines, samples = runner.run(seed, way)
        print(f"seed {seed} {way}: {len(lines)} lines, {samples} samples:", "same" if lines == plain else "differs")
        for line in list(difflib.unified_diff(plain, lines, "plain", way, lineterm="", n=4))[:SHOWN]:
            print(" ", line)
        same &= lines == plain
    return same


def compare_all(runner, seeds, ways, jobs):
    failed, samples, ended = {}, 0, 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        made = {pool.submit(runner.compare, seed, ways): seed for seed in seeds}
        for done in concurrent.futures.as_completed(made):
            differ, taken, early = done.result()
            samples += taken
            ended += len(early)
            for way in early:
                print(f"seed {made[done]} {way}: ends itself early", flush=True)
            for way, where in differ:
                failed.setdefault(made[done], []).append(way)
                print(f"seed {made[done]} {way}: {where}", flush=True)
    print(f"{len(seeds)} sequences of {runner.steps} steps in {len(ways)} ways, {samples} samples: "
          f"{len(seeds) - len(failed)} the same" + (f"; not: {sorted(failed)}" if failed else ""))
    # a sample in ten steps, or nothing was tested
    enough = samples >= len(seeds) * len(ways) * runner.steps / 10
    if not enough:
        print("too few samples")
    # a signal of its own may end one, which compares little: one in a hundred
    whole = ended * 100 <= len(seeds)
    if not whole:
        print("too many end themselves early")
    return not failed and enough and whole


def main():
    parser = argparse.ArgumentParser(add_help=False, usage=__doc__)
    parser.add_argument("--seeds", default="30")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--shrink", type=int)
    parser.add_argument("--without")
    parser.add_argument("--keep")
    parser.add_argument("softlbr")
    parser.add_argument("model")
    arguments = parser.parse_args()
    ways = arguments.ways.split(",")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, most))  # what most systems begin with
    os.environ["MODEL_WITHOUT"] = arguments.without or ""
    low, _, high = arguments.seeds.rpartition("-")
    with tempfile.TemporaryDirectory(prefix="softlbr-model-") as scratch:
        runner = Runner(arguments, scratch)
        if arguments.shrink is not None:
            shrink(runner, arguments.shrink, ways)
            return 0
        if arguments.seed is not None:
            return 0 if show(runner, arguments.seed, ways) else 1
        return 0 if compare_all(runner, range(int(low or 1), int(high) + 1), ways, arguments.jobs) else 1


if __name__ == "__main__":
    sys.exit(main())
