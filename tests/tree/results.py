#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""results.py: docs/results.md is what spec-harness/results writes of docs/evaluation today, README shows no figure of
ours but headlines of that page, each as it is there, and docs/evaluation has at most two files for each figure.

README's figures are links to headlines, [8.5 %](docs/results.md#gcc-counters): a share that stands alone is a fault. Of
compilers and tools it names those that took our profiles where scripts/matrix.sh tried them, as runs without a gap
("16 to 19 and 21 to 23"); of perf, which has few versions in a release, the oldest and the newest.
"""
import json
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
HARNESS = os.path.join(ROOT, "spec-harness")
EVALUATION = os.path.join(ROOT, "docs", "evaluation")
sys.path.insert(0, HARNESS)
sys.dont_write_bytecode = True
from harness.page import Contents  # noqa: E402

LINK = re.compile(r"\[([^]]*)\]\(docs/results\.md#([\w-]+)\)")
SHARE = re.compile(r"\d+(?:\.\d+)? (?:%|per ?cent)")


def faults_of_readme(headlines):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        text = file.read()
    shown = 0
    for figure, name in LINK.findall(text):
        if not re.search(r"\d", figure):
            continue  # a link to a section
        shown += 1
        if headlines.get(name) != figure:
            yield "README.md: [%s] is %s in docs/results.md#%s" % (figure, headlines.get(name), name)
    for share in SHARE.findall(LINK.sub("", text)):
        yield "README.md: %s is no link to a headline of docs/results.md" % share
    if shown < 5:
        yield "README.md: only %d figures are links to headlines: does this test still see them?" % shown


def accepted_versions():
    """Of each tool: the versions that take all that they were given, as README says them."""
    with open(os.path.join(EVALUATION, "matrix.json"), encoding="utf-8") as file:
        tables = json.load(file)["tables"]
    versions, refused = {}, set()
    for table in tables:
        for row in table["rows"]:
            tool, version = row[1].split()
            parts = tuple(int(part) for part in version.split(".")[:2 if tool == "perf" else 1])
            versions.setdefault(tool, set()).add(parts)
            if row[3] != "yes":
                refused.add((tool, parts))
    for tool, known in versions.items():
        taken = sorted(parts for parts in known if (tool, parts) not in refused)
        begins = [parts for parts in taken if (parts[0] - 1,) not in taken] if tool != "perf" else taken[:1]
        ends = [parts for parts in taken if (parts[0] + 1,) not in taken] if tool != "perf" else taken[-1:]
        yield tool, " and ".join("%s to %s" % tuple(".".join(map(str, parts)) for parts in run) for run in zip(begins, ends))


def faults_of_versions():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        said = {}
        for tools, runs in re.findall(r"((?:[\w-]+ and )?[\w-]+) ([\d.]+ to [\d.]+(?: and [\d.]+ to [\d.]+)*)(?=, | are tested)",
                                      file.read()):
            for tool in tools.split(" and "):
                said[tool] = runs
    for tool, found in accepted_versions():
        if tool in said and said[tool] != found:
            yield "README.md: %s %s are tested, but docs/evaluation/matrix.json has %s" % (tool, said[tool], found)
    for tool in ("gcc", "clang", "llvm-bolt", "perf"):
        if tool not in said:
            yield "README.md does not say which versions of %s are tested" % tool


def faults_of_files():
    names = sorted(os.listdir(EVALUATION))
    for name in names:
        stem, kind = os.path.splitext(name)
        if name not in ("README.md", "contents.json") and (
                kind not in (".json", ".svg") or kind == ".svg" and stem + ".json" not in names):
            yield "docs/evaluation/%s: a figure has a .json and at most one .svg" % name


def main():
    contents = Contents(EVALUATION)
    headlines = {headline["name"]: contents.figure(headline) for headline in contents.headlines}
    faults = [*faults_of_readme(headlines), *faults_of_files(), *faults_of_versions()]
    for name, section in contents.sections.items():
        if not section.made.get("softlbr") or not section.made.get("date") or not section.made.get("machine"):
            faults.append("docs/evaluation/%s.json: commit, date or machine is missing" % name)
    done = subprocess.run([sys.executable, os.path.join(HARNESS, "results"), "--check"], stdout=subprocess.PIPE,
                          text=True)
    if done.returncode:
        faults.append(done.stdout.strip())
    for fault in faults:
        print("FAIL: " + fault)
    print("%d headlines, %d sections" % (len(headlines), len(contents.sections)))
    sys.exit(1 if faults else 0)


main()
