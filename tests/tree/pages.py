#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py: how long the documents are, that they are no diary, that the code files they name are there, that their
tables are whole, and that each page is linked and each picture shown.

Words are counted as wc(1) counts them. docs/results.md, the page of measured figures, and the manuals are free of
the limits of length. A percentage of ours stands in docs/results.md alone; another page may have one on a line that
links to it, in a code block (what a command printed), or if ALLOWED says why.
"""
import os
import re
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
RESULTS = "docs/results.md"
PAGE_WORDS = 2000
TRIED_WORDS = 1500
ALL_WORDS = 40000
README_LINES = 120
NEWS_LINES = 60
EVALUATION_BYTES = 700 * 1000
PERCENTAGE = re.compile(r"\d ?%")
DASHES = re.compile(r"\|( *:?-{3,}:? *\|)+")
HISTORY = ("that evening", "the day before", "was aimed at", "were aimed at", "at the time", "used to be", "formerly")

# Page, the text, and why it is no measured figure of ours.
ALLOWED = ()


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def pages():
    for folder, folders, files in os.walk(os.path.join(ROOT, "docs")):
        folders[:] = sorted(name for name in folders if name != "man")
        for name in sorted(files):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(folder, name), ROOT)


def prose(path):
    """Lines outside code blocks, with their numbers."""
    is_code = False
    for number, line in enumerate(read(path).split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith("    "):
            yield number, line


def too_many(path, count, most, what):
    return ["%s: %d %s; %d is the most" % (path, count, what, most)] if count > most else []


def faults_of_length(path):
    words = len(read(path).split())
    print("%6d %s" % (words, path))
    return too_many(path, words, TRIED_WORDS if path == "docs/tried.md" else PAGE_WORDS, "words")


def without_allowed(path, line):
    for page, text, _ in ALLOWED:
        if page == path:
            line = line.replace(text, "")
    return line


def faults_of_text(path):
    for number, line in prose(path):
        if PERCENTAGE.search(without_allowed(path, line)) and "results.md" not in line:
            yield "%s:%d: a percentage: %s belongs to %s" % (path, number, line.strip()[:60], RESULTS)
    words = " ".join(read(path).lower().split())
    for history in HISTORY:
        if re.search(r"\b%s\b" % history, words):
            yield "%s: \"%s\": pages tell no history" % (path, history)


def cells(row):
    """How many a row of a table has; a bar behind a backslash is text."""
    return len(re.findall(r"(?<!\\)\|", row)) - 1


def is_whole(rows):
    """The second row is of dashes, and all rows begin and end with a bar and are as wide."""
    return len(rows) > 2 and all(
        bool(DASHES.fullmatch(row)) == (i == 1) and row.endswith("|") and cells(row) == cells(rows[0])
        for i, row in enumerate(rows)
    )


def faults_of_tables(path):
    """A table that was filled as if it were a paragraph is found by its dashes, or by its bars."""
    rows, begin = [], 0
    for number, line in list(prose(path)) + [(0, "")]:
        line = line.strip()
        if line.startswith("|"):
            begin = begin if rows else number
            rows.append(line)
            continue
        if rows and not is_whole(rows):
            yield "%s:%d: a damaged table" % (path, begin)
        if DASHES.search(line):
            yield "%s:%d: a damaged table" % (path, number)
        rows = []


def code_files():
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))]
        found += [os.path.join("/", os.path.relpath(folder, ROOT), name) for name in files if name.endswith((".c", ".h", ".sh", ".py"))]
    return found


def faults_of_files(path, files):
    """Names in capitals (NAME.c, isa/CPU) stand for any, gcc/ is GCC's; what code blocks print is an example's."""
    text = "\n".join(line for _, line in prose(path))
    for name in sorted(set(re.findall(r"`(?!gcc/)([a-z0-9_./-]+\.(?:[ch]|sh|py))`", text))):
        if not any(file.endswith("/" + name) for file in files):
            yield "%s: %s is not in the tree" % (path, name)


def faults_of_allowed():
    """What is allowed must be there."""
    for page, text, _ in ALLOWED:
        if text not in read(page):
            yield "pages.py: %s has no \"%s\"" % (page, text)


def faults_of_orphans(paths):
    """A page that is only reached by its own links, or a picture that no page shows."""
    linked = set()
    for path in paths:
        for link in re.findall(r"\]\(([^)#]+)", read(path)):
            target = os.path.normpath(os.path.join(os.path.dirname(path), link.strip()))
            if target != path:
                linked.add(target)
    figures = sorted("docs/figures/" + name for name in os.listdir(os.path.join(ROOT, "docs/figures")))
    for path in [path for path in paths if path.startswith("docs/")] + figures:
        if path not in linked:
            yield "%s: no page leads there" % path


def evaluation_bytes():
    return sum(
        os.path.getsize(os.path.join(folder, name))
        for folder, _, files in os.walk(os.path.join(ROOT, "docs/evaluation"))
        for name in files
    )


def main():
    limited = [path for path in pages() if path != RESULTS]
    faults = [fault for path in limited for fault in faults_of_length(path)]
    faults += [fault for path in limited + ["README.md"] for fault in faults_of_text(path)]
    files = code_files()
    faults += [fault for path in limited + ["README.md", "SECURITY.md"] for fault in faults_of_files(path, files)]
    texts = list(pages()) + ["README.md", "NEWS.md", "CONTRIBUTING.md", "SECURITY.md"]
    faults += [fault for path in texts for fault in faults_of_tables(path)]
    faults += faults_of_allowed()
    faults += faults_of_orphans(texts)
    words = sum(len(read(path).split()) for path in limited)
    readme, news = (len(read(path).splitlines()) for path in ("README.md", "NEWS.md"))
    evaluation = evaluation_bytes()
    print("%6d words in all, README %d lines, NEWS %d lines, docs/evaluation %d bytes" % (words, readme, news, evaluation))
    faults += too_many("README.md", readme, README_LINES, "lines")
    faults += too_many("NEWS.md", news, NEWS_LINES, "lines")
    faults += too_many("docs/evaluation/", evaluation, EVALUATION_BYTES, "bytes")
    faults += too_many("docs", words, ALL_WORDS, "words")
    for fault in faults:
        print("FAIL: " + fault)
    if len(limited) < 20:
        sys.exit("FAIL: only %d pages found below docs" % len(limited))
    sys.exit(bool(faults))


main()
