# SPDX-License-Identifier: MIT
"""Ours: what builds by our profiles gain with one version of a tool, the one that --gcc, --clang or --llvm-bolt names.
Tables of several versions, each of an evaluation of its own, are put together by spec-harness/versions."""
import re
import subprocess

from .. import toolchain
from ..measure import geometric_mean
from ..program import HELD_OUT
from ..report import Section, table
from . import counters, speedup

NAME = "versions"
TITLE = "What builds gain, by versions of compilers and llvm-bolt"
# tool -> variants, of which the first has no profile and the last is by instrumentation; what those behind the first
# are called; what is counted
TOOLS = {
    "gcc": (["counters-base", "counters-flags", "counters-autofdo", "counters-ours", "counters-pgo"],
            ["flags alone", "-fauto-profile", "our counters", "instrumented"], speedup.instructions_of),
    "clang": (["clang-base", "clang-ours", "clang-pgo"], ["our profile", "instrumented"], speedup.instructions_of),
    "llvm-bolt": (["bolt-input", "bolt-ours", "bolt-pgo"], ["our profile", "instrumented"], speedup.taken_branches_of)}


def measure(evaluation, program):
    """tool -> counts by variant."""
    def binary_of(variant):
        if variant.startswith("counters-"):
            return counters.build(evaluation, program, variant)["binary"]
        return speedup.binary(evaluation, program, variant)

    return {tool: speedup.counted(evaluation, program, NAME, variants, binary_of, count)[1]
            for tool, (variants, _, count) in TOOLS.items() if tool in toolchain.wanted}


def _version(tool):
    path = {"gcc": lambda: toolchain.gcc().cc, "clang": lambda: toolchain.clang().cc, "llvm-bolt": toolchain.bolt}[tool]()
    said = subprocess.run([path, "--version"], stdout=subprocess.PIPE, text=True).stdout
    return "%s %s" % (tool, re.search(r"\d+\.\d+\.\d+", said)[0])


def present(evaluation, results):
    return [section(tool, [[_version(tool), program.name] + _saved(tool, result[tool]) for program, result in results
                           if tool in result]) for tool in TOOLS if tool in toolchain.wanted]


def _saved(tool, counts):
    """Of each variant with a profile, in per cent of the one without."""
    base, *others = TOOLS[tool][0]
    return [100 * (1 - counts[variant] / counts[base]) if base in counts and variant in counts else None
            for variant in others]


def section(tool, rows):
    """Rows: version, program, and what each variant saved."""
    heads, what = TOOLS[tool][1], "taken branches and calls" if tool == "llvm-bolt" else "instructions"
    return Section(
        "versions-" + tool, "%s by its versions" % tool,
        "Executed %s saved over the same version's build without a profile, on input that no profile saw, in percent, "
        "counted by callgrind. The first table has means of the programs that every version has all builds of; *of "
        "instrumented* is what share of the instrumented build's saving they are, in percent. Held out are %s: no rule "
        "was made with them. Single builds by one recording each." % (what, ", ".join(HELD_OUT)),
        [_summary(heads, rows), table(["version", "program"] + heads, rows)], [])


def _summary(heads, rows):
    versions = sorted({row[0] for row in rows}, key=lambda name: [int(number) for number in re.findall(r"\d+", name)])
    whole = {version: {row[1]: row[2:] for row in rows if row[0] == version and None not in row} for version in versions}
    common = set.intersection(*map(set, whole.values())) if whole else set()
    lines = []
    for version in versions:
        for part, names in (("all", common), ("held out", common.intersection(HELD_OUT))):
            if not names:
                continue
            means = [geometric_mean([1 - whole[version][name][index] / 100 for name in names])
                     for index in range(len(heads))]
            saved = [100 * (1 - mean) for mean in means]
            lines.append([version, part, len(names)] + saved + [counters.share(value, saved[-1]) for value in saved[:-1]])
    return table(["version", "programs", "number"] + heads + [head + " of instrumented" for head in heads[:-1]], lines)
