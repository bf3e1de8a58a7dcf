#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""results.py: docs/results.md is what spec-harness/results writes of docs/evaluation today, README shows no figure of
ours but headlines of that page, each as it is there, and docs/evaluation has at most two files for each figure.

README's figures are links to headlines, [8.5 %](docs/results.md#gcc-counters): a share that stands alone is a fault.
"""
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
    faults = list(faults_of_readme(headlines)) + list(faults_of_files())
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
