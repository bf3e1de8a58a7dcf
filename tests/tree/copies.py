#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""copies.py: no run of more than LIMIT lines stands in two places outside tests/.

Lines are compared without white space. Comments, blank lines, includes and lone brackets are no lines of a run.
Files that have one path but for the name of a CPU are twins, and are not compared with each other.
"""
import collections
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("base", "isa", "formats", "mcf", "converter", "compare", "report", "library", "collector", "pgo", "cli", "include",
           "cmake", "scripts", "benchmarks", "spec-harness", "examples")
C_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
SCRIPT_COMMENT = re.compile(r"^\s*#.*", re.MULTILINE)
COMMENTS = {".c": C_COMMENT, ".h": C_COMMENT, ".js": C_COMMENT, ".css": C_COMMENT, ".proto": C_COMMENT,
            ".py": SCRIPT_COMMENT, ".sh": SCRIPT_COMMENT, ".cmake": SCRIPT_COMMENT, ".txt": SCRIPT_COMMENT}
NO_LINE = re.compile(r"[\s(){}\[\];,]*$|\s*#\s*include\b")
CPU = re.compile(r"x86_64|aarch64")
LIMIT = 12
# runs from this length on are printed, up to this many
SHOWN_FROM, SHOWN = 9, 12


def read_lines(path):
    """[(number, text without white space), ...] of the lines that count."""
    def blank(comment):
        return "\n" * comment.group().count("\n")
    text = COMMENTS[path.suffix].sub(blank, path.read_text())
    return [(number, "".join(line.split())) for number, line in enumerate(text.split("\n"), 1)
            if not NO_LINE.match(line)]


def are_twins(a, b):
    return a != b and CPU.sub("CPU", a) == CPU.sub("CPU", b)


def find_runs(files):
    """[(length, file, first line, file, first line), ...]: equal runs of SHOWN_FROM lines and more, longest first."""
    places = collections.defaultdict(list)
    for name, lines in files.items():
        texts = [text for _, text in lines]
        for i in range(len(texts) - SHOWN_FROM + 1):
            places[tuple(texts[i:i + SHOWN_FROM])].append((name, i))
    # of two places, only where they begin to be equal: the windows behind are part of the same run
    starts = [(a, b) for found in places.values() for at, a in enumerate(found) for b in found[at + 1:]
              if not are_twins(a[0], b[0]) and not (a[1] and b[1] and text_at(files, a, -1) == text_at(files, b, -1))]
    runs = []
    for a, b in starts:
        length = SHOWN_FROM
        # a run that would reach its own copy in the same file ends there
        limit = b[1] - a[1] if a[0] == b[0] else sys.maxsize
        while length < limit and text_at(files, a, length) == text_at(files, b, length) is not None:
            length += 1
        runs.append((min(length, limit), a[0], files[a[0]][a[1]][0], b[0], files[b[0]][b[1]][0]))
    return sorted(runs, key=lambda run: (-run[0], run[1:]))


def text_at(files, place, offset):
    """The line that many behind a place; None at the file's end."""
    lines = files[place[0]]
    return lines[place[1] + offset][1] if place[1] + offset < len(lines) else None


def main():
    paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in COMMENTS)
    files = {path.relative_to(ROOT).as_posix(): read_lines(path) for path in paths}
    runs = find_runs(files)
    for length, a, a_line, b, b_line in runs[:SHOWN]:
        print(f"{length} lines: {a}:{a_line} and {b}:{b_line}")
    if len(files) < 500:
        sys.exit(f"only {len(files)} files were read")
    copies = sum(length > LIMIT for length, *_ in runs)
    print(f"{len(files)} files, {sum(map(len, files.values()))} lines: {copies} runs of more than {LIMIT} lines "
          "stand in two places")
    sys.exit(copies > 0)


if __name__ == "__main__":
    main()
