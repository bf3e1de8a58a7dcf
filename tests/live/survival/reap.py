#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""reap.py SECONDS COMMAND...: run it, with its status, or 124 after so many seconds; nothing that it started goes on
after it, daemons and sessions of their own neither: what loses its parent comes to us."""
import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36  # include/uapi/linux/prctl.h


def descendants():
    """All below us, by the parents that the kernel lists."""
    parents = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    below, fresh = set(), {os.getpid()}
    while fresh:
        fresh = {pid for pid, parent in parents.items() if parent in fresh} - below
        below |= fresh
    return below


def end_all():
    for _ in range(100):
        for pid in descendants():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.05)


def main():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: (end_all(), os._exit(130)))
    try:
        child = subprocess.Popen(sys.argv[2:])
        try:
            status = child.wait(float(sys.argv[1]))
        except subprocess.TimeoutExpired:
            status = 124
    finally:
        end_all()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
