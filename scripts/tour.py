#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the sessions of docs/tour: are their transcripts still what a user sees?

  tour.py [--update] [--program FILE] SESSION.md...

A session is a Markdown page whose ```console blocks have lines "$ command", each followed by what it prints. The
commands run one after the other in one shell, in an empty folder, with ~/softlbr as this checkout and softlbr in the
PATH. Each must end with the status that a line "[status N]" behind its output says, else with 0, and print what the
page has, but for numbers, and for the output of commands that end with "# varies", of which the status alone counts.
Of the instructions that callgrind collected of several programs the last must be fewer than the first.
--update writes the pages' outputs anew.

A page's first line "<!-- needs: TOOL... -->" names what must be installed; without it the status is 77.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MARK = "tour-status-of-the-last-command"


class Shell:
    """One shell for all commands of a session; what it prints is read up to a mark."""

    def __init__(self, directory, program):
        self.home = directory
        tools = os.path.join(directory, ".tools")
        os.mkdir(tools)
        os.symlink(os.path.abspath(program), os.path.join(tools, "softlbr"))
        checkout = os.path.join(directory, "softlbr")
        os.mkdir(checkout)
        for name in os.listdir(ROOT):
            if name != "build":
                os.symlink(os.path.join(ROOT, name), os.path.join(checkout, name))
        os.symlink(os.path.dirname(os.path.abspath(program)), os.path.join(checkout, "build"))
        environment = dict(os.environ, HOME=directory, PATH=tools + ":" + os.environ["PATH"], LC_ALL="C.UTF-8",
                           COLUMNS="100", MAKEFLAGS="")
        # where rustc is rustup's, it looks for its toolchain at home
        environment.setdefault("RUSTUP_HOME", os.path.expanduser("~/.rustup"))
        work = os.path.join(directory, "work")
        os.mkdir(work)
        self.process = subprocess.Popen(["bash", "--norc"], cwd=work, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)

    def run(self, command):
        """(lines printed, status)"""
        self.process.stdin.write("%s\nstatus=$?; echo; echo %s $status\n" % (command, MARK))
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith(MARK):
                status = int(line.split()[1])
                while lines and not lines[-1]:
                    lines.pop()
                return lines, status
            lines.append(line.rstrip().replace(self.home, "~"))
        sys.exit("tour: the shell ended at: " + command)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def is_verdict(line):
    """Of record: that what was recorded is good or fair, or should be longer, but not that it is poor."""
    return re.match(r"softlbr: (record longer|good:|fair:)", line) and not re.search(r"\bpoor:", line)


def masked(lines):
    """Numbers and how wide they are do not matter, nor what a slow or busy machine loses: whether a recording and its
    profile are good or fair, and whether it should have been longer."""
    lines = [re.sub(r"^\s*profile: (good|fair):.*", "profile: good or fair", line) for line in lines
             if not is_verdict(line)]
    lines = [re.sub(r"^(host +).*", r"\1NAME", line) for line in lines]
    return [" ".join(re.sub(r"\d+([.,:]\d+)*", "N", line).split()) for line in lines]


def entries(block):
    """The commands of a console block: [command, lines of output]"""
    found = []
    for line in block:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and found[-1][0].endswith("\\") and line.startswith("> "):
            found[-1][0] += "\n" + line[2:]
        elif found:
            found[-1][1].append(line)
    return found


def as_typed(command):
    return ("$ " + command.replace("\n", "\n> ")).split("\n")


class Session:
    def __init__(self, path):
        self.path = path
        self.lines = open(path).read().split("\n")
        self.faults = []

    def missing(self):
        tools = re.match(r"<!-- needs: (.*) -->", self.lines[0])
        return [tool for tool in (tools.group(1).split() if tools else []) if not shutil.which(tool)]

    def perform(self, shell, command, expected):
        printed, status = shell.run(re.sub(r"\s*# varies$", "", command))
        if status:
            printed.append("[status %d]" % status)
        stated = [line for line in expected if line.startswith("[status ")]
        seen = [line for line in printed if line.startswith("[status ")]
        same = stated == seen if command.endswith("# varies") else masked(printed) == masked(expected)
        # a session that measures two programs shows the gain of the second one
        measured = [int(line.split()[-1]) for line in printed if " Collected : " in line]
        if measured and measured[-1] >= measured[0]:
            self.faults.append("%s: $ %s\nno fewer instructions with the profile: %s" % (self.path, command, measured))
        if not same:
            self.faults.append("%s: $ %s\nthe page has:\n  %s\nprinted was:\n  %s" % (
                self.path, command, "\n  ".join(expected), "\n  ".join(printed)))
        return printed

    def run(self, shell):
        """The page with its outputs as they are now."""
        page, block = [], None
        for line in self.lines:
            if line == "```console":
                block = []
            elif line == "```" and block is not None:
                for command, expected in entries(block):
                    page += as_typed(command) + self.perform(shell, command, expected)
                block = None
            elif block is not None:
                block.append(line)
                continue
            page.append(line)
        return "\n".join(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", nargs="+", metavar="SESSION.md")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--program", default=os.path.join(ROOT, "build/softlbr"), help="the softlbr to use")
    options = parser.parse_args()
    commands = faults = 0
    for path in options.sessions:
        session = Session(path)
        if session.missing():
            print("SKIP: %s is not installed" % ", ".join(session.missing()))
            sys.exit(77)
        with tempfile.TemporaryDirectory(prefix="softlbr tour.") as directory:
            shell = Shell(directory, options.program)
            page = session.run(shell)
            shell.end()
        if options.update:
            open(path, "w").write(page)
        else:
            print("\n".join(session.faults))
            faults += len(session.faults)
        commands += sum(line.startswith("$ ") for line in session.lines)
    print("%d commands, %d faults" % (commands, faults))
    sys.exit(bool(faults) or not commands)


main()
