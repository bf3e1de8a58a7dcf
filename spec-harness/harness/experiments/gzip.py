# SPDX-License-Identifier: MIT
"""Break Dancing's comparison with hardware, on the one public hardware LBR recording of a SPEC program whose
binary is there too: gzip (SPEC CPU2000's 164.gzip) on a Westmere, of AutoFDO's test data. The same binary
runs here, on an input of our own."""
import glob
import os
import random
import shutil
import subprocess
import sys

from ..measure import Outcome, callgrind, content
from ..report import Section, table
from ..softlbr import fresh
from ..store import Skipped, StepFailed

NAME = "gzip"
TITLE = "The hardware recording of SPEC's gzip (Break Dancing, Table 4)"
DATA = os.path.join("hardware-lbr", "gzip_westmere")
MEGABYTES = 2
ROUNDS = 5
LEVELS = ["profile_diff", "line", "edge", "branch", "within"]


def _shared():
    root = os.environ.get("SOFTLBR_SHARED")
    if not root:
        raise Skipped("SOFTLBR_SHARED names no folder with the recording")
    directory = os.path.join(root, "data", DATA)
    if not os.path.exists(os.path.join(directory, "test.binary")):
        raise Skipped("no %s here" % directory)
    return directory


class _Gzip:
    """The binary with its inputs, as far as callgrind() and recordings need a program: SPEC's gzip packs and
    unpacks a file again and again in memory and checks it."""

    name = "gzip"

    def __init__(self, binary, directory):
        self.binary = binary
        self.directory = directory

    def make_inputs(self):
        """Kinds that SPEC has too: source, program, log, random; the same bytes each time on a machine."""
        generator = random.Random(1)
        kinds = {"source": b"".join(_python_sources()), "random": generator.randbytes(MEGABYTES << 20),
                 "program": _read(os.path.realpath(sys.executable)),
                 "log": "".join("%d host%d GET /page/%d %d\n" % (1600000000 + line, generator.randrange(50),
                                                                generator.randrange(999),
                                                                generator.randrange(9999))
                                for line in range(90000)).encode()}
        for name, data in kinds.items():
            with open(os.path.join(self.directory, "input." + name), "wb") as file:
                file.write(data[:MEGABYTES << 20])
        return sorted("input." + name for name in kinds)

    def run(self, binary, _, wrapper=None):
        text = b""
        for name in sorted(glob.glob(os.path.join(self.directory, "input.*"))):
            done = subprocess.run(([wrapper] if wrapper else []) + [binary, name, str(MEGABYTES)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if done.returncode:
                raise StepFailed("gzip on %s: status %d" % (name, done.returncode))
            text += done.stdout
        return Outcome.of_output(Outcome(0, 0, ""), text)


def _python_sources():
    for path in sorted(glob.glob(os.path.join(os.path.dirname(os.__file__), "*.py"))):
        yield _read(path)


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def measure_machine(evaluation):
    """pair of recordings -> scores"""
    shared = _shared()
    directory = os.path.join(evaluation.out, "data", "gzip")
    # The name that the recording has it by.
    program = _Gzip(os.path.join(directory, "test.binary"), directory)
    hardware = [os.path.join(shared, "test.lbr")]

    def record():
        fresh(directory)
        shutil.copy(os.path.join(shared, "test.binary"), program.binary)
        os.chmod(program.binary, 0o755)
        program.make_inputs()
        plain = program.run(program.binary, "")
        recordings = fresh(os.path.join(directory, "recordings"))
        wrapper = evaluation.softlbr.recorder(recordings, period="250us", depth=16)
        for _ in range(ROUNDS):
            if program.run(program.binary, "", wrapper.path).digest != plain.digest:
                raise StepFailed("OUTPUT DIFFERS: gzip prints something else while recorded")
        _, digest, exact = callgrind(program, program.binary, "", fresh(os.path.join(directory, "exact")),
                                     exact=True)
        if digest != plain.digest:
            raise StepFailed("OUTPUT DIFFERS: gzip prints something else under callgrind")
        return {"ours": wrapper.files("*.perf.data"), "exact": exact}

    files = evaluation.store.step("machine/gzip", [content(*hardware), evaluation.version, MEGABYTES, ROUNDS],
                                  record)
    pairs = {"recording here, hardware recording": (files["ours"], hardware),
             "exact counts here, hardware recording": (files["exact"], hardware),
             "recording here, exact counts here": (files["ours"], files["exact"])}

    def scores():
        return {name: evaluation.softlbr.scores(program.binary, *pair) for name, pair in pairs.items()}

    return evaluation.store.step("machine/gzip-scores", [content(*hardware, *files["ours"], *files["exact"]),
                                                         evaluation.version], scores)


def present_machine(result):
    rows = [[name] + [100 * scores[level] for level in LEVELS] for name, scores in result.items()]
    return [Section(
        "gzip", "The hardware recording of SPEC's gzip",
        "The only public hardware LBR recording of a SPEC program whose binary is public too: 164.gzip, "
        "recorded on a Westmere for AutoFDO's tests. The same binary ran here, but with other input: "
        "SPEC's is licensed, so ours has the same kinds of data (source, program, log, random). The second "
        "row shows how much of the difference is due to the input: it is the score of a perfect recording. "
        "Overlaps are in percent.",
        [table(["compared"] + LEVELS, rows, noise=5)], [])]
