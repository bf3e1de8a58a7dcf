# SPDX-License-Identifier: MIT
"""Programs of calibration/programs.toml: the suite's, small ones beside that file, and those of installed packages."""
import os
import shutil
import subprocess
import sys
import tomllib

from .program import Program
from .store import Skipped, StepFailed

DIRECTORY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "calibration")
LIST = os.path.join(DIRECTORY, "programs.toml")
INSTALL = os.path.join(DIRECTORY, "..", "..", "scripts", "install-deps.sh")


def listed(parts, root):
    """The programs of these parts, in order, each with its entry as .entry."""
    with open(LIST, "rb") as file:
        entries = tomllib.load(file)
    found = []
    for name, entry in entries.items():
        if entry["part"] in parts:
            program = Program(name, root) if entry["kind"] == "suite" else Listed(name, root, entry)
            program.entry = entry
            found.append(program)
    return found


class Listed(Program):
    """One that the list has the commands of."""

    def __init__(self, name, root, entry):
        self.entry = entry
        super().__init__(name, root)

    def _describe(self):
        return {"spec": "-", "match": "-", "language": "-", "debian": self.entry.get("package", ""),
                "what": self.entry["kind"]}

    def fetch(self):
        package = self.entry.get("package")
        if package and not os.path.exists(self.entry["binary"]):
            done = subprocess.run([INSTALL, "--package=" + package], stdout=subprocess.DEVNULL)
            if done.returncode:
                raise Skipped("package %s is not to be had" % package)
        return self.versions()

    def versions(self):
        package = self.entry.get("package")
        if not package:
            return {}
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], stdout=subprocess.PIPE, text=True)
        return {package: done.stdout or "?"}

    def inputs(self, gcc):
        if self.entry["kind"] == "debian":
            done = subprocess.run([sys.executable, os.path.join(DIRECTORY, "inputs.py"), self.name, self._inputs()])
            if done.returncode:
                raise StepFailed("inputs.py %s failed" % self.name)
        return {}

    def _inputs(self):
        return os.path.join(self.root, "inputs", self.name)

    def build(self, directory, toolchain, flags, link_flags="", prefix=()):
        os.makedirs(directory, exist_ok=True)
        path = os.path.join(directory, self.name)
        if self.entry["kind"] == "debian":
            shutil.copy(self.entry["binary"], path)
            return path
        done = subprocess.run([*prefix, toolchain.cc, *flags.split(), "-w",
                               os.path.join(DIRECTORY, self.name + ".c"), "-o", path, "-lm", "-lpthread"])
        if done.returncode:
            raise StepFailed("%s.c is not compiled" % self.name)
        return path

    def command(self, binary, workload, wrapper=None):
        run = ("%s %s" % (wrapper, binary)) if wrapper else binary
        # What a program prints is its output, as a file's is.
        command = "{ %s; } >stdout" % self.entry[workload]
        return ["sh", "-c", command], dict(os.environ, RUN=run, INPUTS=self._inputs())

    def output(self, binary, directory):
        found = b""
        for name in sorted(os.listdir(directory)):
            with open(os.path.join(directory, name), "rb") as file:
                found += name.encode() + b"\n" + file.read()
        return found
