# SPDX-License-Identifier: MIT
"""Steps: pieces of work whose results are kept, so that an interrupted evaluation goes on where it
stopped. A step's result is one JSON file, written whole or not at all. A step that failed is kept too,
with its reason, and is tried again in the next sitting."""
import fcntl
import hashlib
import json
import os
import sys
import time


class StepFailed(Exception):
    """What went wrong, in a sentence for the report."""


class OutOfTime(Exception):
    """The wall-clock budget is spent: no further step is begun."""


class Skipped(StepFailed):
    """Not a fault: this can't be done here (a source that can't be had, a tool that is absent)."""


def _cpu_seconds():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def write_whole(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


class Store:
    """directory: where results go; deadline: time.monotonic() after which no step is begun, or None;
    maker: what is kept with each step of who made it."""

    def __init__(self, directory, deadline=None, maker="", log=sys.stderr):
        self.directory = directory
        self.deadline = deadline
        self.maker = maker
        self.log = log
        self.begun = time.monotonic()
        self.sitting = "%d-%d" % (time.time(), os.getpid())  # of this process and those that it forks

    def path(self, name):
        return os.path.join(self.directory, "steps", name + ".json")

    def load(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as file:
                return json.load(file)
        except (FileNotFoundError, ValueError):
            return None

    def is_out_of_time(self):
        return self.deadline is not None and time.monotonic() > self.deadline

    def claim(self, name, wait=False):
        """Of several evaluations with one directory, one works at a program at a time: a context in which
        name's steps are ours, or None if they are another's now (with wait, never)."""
        path = os.path.join(self.directory, "locks", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        file = open(path, "w", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            return file
        except BlockingIOError:
            file.close()
            return None

    def step(self, name, key, work):
        """The result of work(), kept under name; done anew only if key (any JSON value: what the
        result depends on) is another one than last time, or if it failed then."""
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        kept = self.load(name)
        if kept and kept["key"] == digest and (kept["status"] == "done" or
                                               kept.get("sitting") == self.sitting):
            return self._result(kept)
        if self.is_out_of_time():
            raise OutOfTime(name)
        self._say("%s ..." % name, "")
        start, cpu = time.monotonic(), _cpu_seconds()
        kept = {"name": name, "key": digest, "sitting": self.sitting}
        try:
            kept.update(status="done", result=work())
        except StepFailed as reason:
            kept.update(status="skipped" if isinstance(reason, Skipped) else "failed",
                        reason=str(reason))
        kept["seconds"] = round(time.monotonic() - start, 1)
        kept["cpu_seconds"] = round(_cpu_seconds() - cpu, 1)
        kept["load"] = round(os.getloadavg()[0], 1)
        kept["made"] = [time.strftime("%Y-%m-%d"), self.maker]
        write_whole(self.path(name), json.dumps(kept, indent=1, sort_keys=True) + "\n")
        self._say("%s: %s" % (name, kept["status"] if kept["status"] == "done" else
                              "%s: %s" % (kept["status"], kept["reason"])),
                  " (%.0f s)\n" % kept["seconds"])
        return self._result(kept)

    @staticmethod
    def _result(kept):
        if kept["status"] == "done":
            return kept["result"]
        raise (Skipped if kept["status"] == "skipped" else StepFailed)(kept["reason"])

    def _say(self, text, end):
        """On a terminal a step's line is replaced by its outcome; a log has outcomes alone."""
        if self.log.isatty():
            self.log.write("\r\033[K[%5.0f s] %s%s" % (time.monotonic() - self.begun, text, end))
        elif end:
            self.log.write("[%5.0f s] %s%s" % (time.monotonic() - self.begun, text, end))
        self.log.flush()

    def kept(self):
        """All results on disk, by name."""
        found = {}
        root = os.path.join(self.directory, "steps")
        for directory, _, files in os.walk(root):
            for file in files:
                if file.endswith(".json"):
                    name = os.path.relpath(os.path.join(directory, file), root)[:-5]
                    found[name] = self.load(name)
        return {name: kept for name, kept in sorted(found.items()) if kept}
