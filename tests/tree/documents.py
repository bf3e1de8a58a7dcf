#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""documents.py: links between the Markdown documents lead to a file and a heading that are there, and no line but
tables, pictures and code is longer than 120 columns.

Not checked: links to the web, and the line length of reports that a program writes.
"""
import os
import re
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
WIDTH = 120
GENERATED = ("docs/results.md",)


def documents():
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))]
        for name in files:
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(folder, name), ROOT)


def prose(path):
    """Lines outside code blocks, with their numbers."""
    is_code = False
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        for number, line in enumerate(file.read().split("\n"), 1):
            if line.lstrip().startswith("```"):
                is_code = not is_code
            elif not is_code:
                yield number, line


def anchor(heading):
    """As GitHub makes it of a heading."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(path):
    found = set()
    for _, line in prose(path):
        if re.match(r"#+ ", line):
            found.add(anchor(line.lstrip("# ")))
        found.update(re.findall(r'<a name="([^"]+)">', line))
    return found


def faults_of_links(path):
    text = "\n".join(line for _, line in prose(path))
    for link in re.findall(r"\]\(([^)]*)\)", re.sub(r"`[^`]*`", "", text)):
        target, _, heading = re.sub(r"\s+", "", link).partition("#")
        if re.match(r"\w+:", target):
            continue
        file = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
        if not os.path.exists(os.path.join(ROOT, file)):
            yield "%s: link to %s, which is not there" % (path, link)
        elif heading and file.endswith(".md") and heading not in anchors(file):
            yield "%s: link to %s: no such heading" % (path, link)


def faults_of_lines(path):
    for number, line in prose(path):
        if len(line) > WIDTH and not line.startswith(("|", "![", "    ")):
            yield "%s:%d: %d columns; %d is the most" % (path, number, len(line), WIDTH)


def main():
    paths = sorted(documents())
    faults = [fault for path in paths for fault in faults_of_links(path)]
    faults += [fault for path in paths if path not in GENERATED for fault in faults_of_lines(path)]
    for fault in faults:
        print("FAIL: " + fault)
    if len(paths) < 20:
        sys.exit("FAIL: only %d documents found below %s" % (len(paths), ROOT))
    sys.exit(1 if faults else 0)


main()
