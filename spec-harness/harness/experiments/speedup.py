# SPDX-License-Identifier: MIT
"""Break Dancing's Figures 7 and 8: what builds with a profile gain. From our recording of the training
workload, from exact counts, and from an instrumented build, with gcc, clang and llvm-bolt."""
import hashlib
import os
import subprocess

from .. import toolchain
from ..measure import callgrind, geometric_mean, interleaved, spread
from ..report import Section, chart, table
from ..softlbr import fresh
from ..store import StepFailed

NAME = "speedup"
TITLE = "Speed-up of builds with a profile (Break Dancing, Figures 7 and 8)"
FAMILIES = {
    "gcc": ["gcc-base", "gcc-control", "gcc-ours", "gcc-exact", "gcc-pgo"],
    "clang": ["clang-base", "clang-ours", "clang-exact", "clang-pgo"],
    "bolt": ["bolt-input", "bolt-ours", "bolt-exact"],
}
MEANING = {
    "gcc-base": "gcc -O2", "gcc-control": "the flags of -fauto-profile alone",
    "gcc-ours": "-fauto-profile, our profile", "gcc-exact": "-fauto-profile, exact profile",
    "gcc-pgo": "-fprofile-use, instrumented", "clang-base": "clang -O2",
    "clang-ours": "-fprofile-sample-use, our profile",
    "clang-exact": "-fprofile-sample-use, exact profile", "clang-pgo": "-fprofile-use, instrumented",
    "bolt-input": "gcc -O2, for llvm-bolt", "bolt-ours": "llvm-bolt, our profile",
    "bolt-exact": "llvm-bolt, exact profile"}


def measure(evaluation, program):
    """Instructions of each variant on short, CPU times on the timed workload; what could not be made,
    and why."""
    binaries, missing = {}, {}
    for variants in FAMILIES.values():
        for variant in variants:
            try:
                binaries[variant] = _binary(evaluation, program, variant)
            except StepFailed as reason:
                missing[variant] = str(reason)
    if not binaries:
        raise StepFailed("no variant could be built: %s" % "; ".join(missing.values()))
    return {"instructions": _instructions(evaluation, program, binaries, missing),
            "seconds": _seconds(evaluation, program, binaries), "missing": missing}


def _binary(evaluation, program, variant):
    family, kind = variant.split("-")
    if kind in ("base", "input"):
        return evaluation.base(program, family)
    source = kind if kind in ("ours", "exact") else None
    if family == "bolt":
        return _bolt(evaluation, program, source)
    make = {"gcc": _gcc, "clang": _clang}[family]
    return make(evaluation, program, kind, source)


def _gcc(evaluation, program, kind, source):
    compiler = toolchain.gcc()
    if kind == "control":
        flags = " ".join([toolchain.GCC_BASE, toolchain.GCC_CONTROL, toolchain.GCC_COST_MODEL])
        return evaluation.build(program, "gcc-control", compiler, flags)["binary"]
    if kind == "pgo":
        return _instrumented_gcc(evaluation, program, compiler)
    major = toolchain.gcc_major(compiler)
    profile = evaluation.profile(program, "gcc", source, "gcov", ["--gcc=" + major])
    flags = "%s -fauto-profile=%s %s" % (toolchain.GCC_BASE, profile, toolchain.GCC_COST_MODEL)
    return evaluation.build(program, "gcc-" + source, compiler, flags, key=content(profile))["binary"]


def _instrumented_gcc(evaluation, program, compiler):
    directory = evaluation.data(program, "gcda")
    flags = "-O2 -g -fprofile-update=single -fprofile-dir=%s " % directory
    binary = evaluation.build(program, "gcc-generate", compiler, flags + "-fprofile-generate",
                              key=2)["binary"]

    def train():
        fresh(directory)
        program.run(binary, "train")
        return {"profile": directory}

    evaluation.step(program, "train-gcc", binary, train)
    # gcc names counters by the path of the object, so this build is made in the same place
    place = evaluation.data(program, "build-gcc-generate")

    def work():
        path = program.build(place, compiler, "-O2 -g -fprofile-use=%s -fprofile-correction "
                             "-Wno-missing-profile -Wno-coverage-mismatch" % directory)
        kept = evaluation.data(program, "build-gcc-pgo")
        fresh(kept)
        target = os.path.join(kept, program.name)
        os.rename(path, target)
        return {"binary": target, "output": program.run(target, "short").digest}

    return evaluation.step(program, "build-gcc-pgo", [flags, evaluation.version], work)["binary"]


def _clang(evaluation, program, kind, source):
    compiler = toolchain.clang()
    if kind == "pgo":
        return _instrumented_clang(evaluation, program, compiler)
    profile = evaluation.profile(program, "clang", source, "llvm-text")
    flags = "%s -fprofile-sample-use=%s" % (toolchain.CLANG_BASE, profile)
    return evaluation.build(program, "clang-" + source, compiler, flags, key=content(profile))["binary"]


def _instrumented_clang(evaluation, program, compiler):
    directory = evaluation.data(program, "profraw")
    merged = evaluation.data(program, "clang.profdata")
    binary = evaluation.build(program, "clang-generate", compiler,
                              "-O2 -g -fprofile-generate=%s" % directory)["binary"]

    def train():
        fresh(directory)
        program.run(binary, "train")
        done = subprocess.run([toolchain.llvm_profdata(compiler), "merge", "-o", merged, directory],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise StepFailed("llvm-profdata: %s" % done.stdout.strip())
        return {"profile": merged}

    evaluation.step(program, "train-clang", binary, train)
    return evaluation.build(program, "clang-pgo", compiler, "-O2 -g -fprofile-use=%s" % merged,
                            key=content(merged))["binary"]


def _bolt(evaluation, program, source):
    binary = evaluation.bolt_input(program)
    fdata = evaluation.profile(program, "bolt", source, "fdata")
    output = evaluation.data(program, "bolt-%s-binary" % source)

    def work():
        said = toolchain.optimize_layout(binary, fdata, output)
        return dict(said, binary=output, output=program.run(output, "short").digest)

    return evaluation.step(program, "bolt-" + source, [binary, content(fdata), toolchain.bolt()],
                           work)["binary"]


def content(path):
    """What a profile says: a build is made anew if it changes."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _reference(variant):
    return {"gcc": "gcc", "clang": "clang", "bolt": "bolt"}[variant.split("-")[0]]


def _instructions(evaluation, program, binaries, missing):
    found = {}
    for variant, binary in binaries.items():
        def work(variant=variant, binary=binary):
            directory = fresh(evaluation.data(program, "callgrind"))
            instructions, digest, _ = callgrind(program, binary, "short", directory)
            fresh(directory)
            evaluation.demand_kind_output(program, _reference(variant), "short", digest)
            return instructions

        try:
            found[variant] = evaluation.step(program, "instructions-" + variant, content(binary), work)
        except StepFailed as reason:
            missing[variant] = str(reason)
    return found


def _seconds(evaluation, program, binaries):
    workload, runs = evaluation.options.workload, evaluation.runs(program)

    def work():
        def timed(variant, binary):
            def once():
                outcome = program.run(binary, workload)
                evaluation.demand_kind_output(program, _reference(variant), workload, outcome.digest)
                return outcome.cpu_seconds
            return once

        return interleaved({variant: timed(variant, binary) for variant, binary in binaries.items()},
                           runs)

    return evaluation.step(program, "seconds",
                           [{v: content(b) for v, b in binaries.items()}, workload, runs], work)


def present(evaluation, results):
    sections = []
    for family, variants in FAMILIES.items():
        sections.append(_family(family, variants, results))
    missing = [[program.name, variant, reason] for program, result in results
               for variant, reason in result["missing"].items()]
    if missing:
        sections[-1].tables.append(table(["program", "variant", "why it is missing"], missing))
    return sections


def _family(family, variants, results):
    base = variants[0]
    rows, ratios, series = [], {}, {MEANING[variant]: [] for variant in variants[1:]}
    for program, result in results:
        instructions, seconds = result["instructions"], result["seconds"]
        row = [program.name, program.about["spec"]]
        for variant in variants[1:]:
            gain = None
            if variant in instructions and base in instructions:
                ratio = instructions[base] / instructions[variant]
                ratios.setdefault(("i", variant), []).append(ratio)
                gain = 100 * (1 - 1 / ratio)
            row.append(gain)
            series[MEANING[variant]].append((program.name, gain))
        for variant in variants[1:]:
            text = None
            if variant in seconds and base in seconds:
                pairs = spread([b / v for b, v in zip(seconds[base], seconds[variant])])
                ratios.setdefault(("s", variant), []).append(pairs["median"])
                text = "%+.1f (%+.1f to %+.1f)" % tuple(100 * (pairs[k] - 1)
                                                       for k in ("median", "low", "high"))
            row.append(text)
        rows.append(row)
    means = ["geometric mean", ""]
    for variant in variants[1:]:
        values = ratios.get(("i", variant))
        means.append(100 * (1 - 1 / geometric_mean(values)) if values else None)
    for variant in variants[1:]:
        values = ratios.get(("s", variant))
        means.append("%+.1f" % (100 * (geometric_mean(values) - 1)) if values else None)
    return Section(
        "figure7-" + family, "Speed-up with %s (Figures 7 and 8)" % {"bolt": "llvm-bolt"}.get(family,
                                                                                             family),
        "Compared with %s: instructions saved on the short input, in per cent (callgrind: no noise), then "
        "CPU time gained on the timed input, in per cent: medians of paired, interleaved rounds, with "
        "their quartiles. Our profile and the instrumented build's are trained on the training input; "
        "the exact profile comes from the short input itself, so that its instructions are an upper "
        "bound. llvm-bolt moves code and saves few instructions; its gain is in taken branches and "
        "caches." % MEANING[base],
        [table(["program", "SPEC row"] +
               ["instructions: " + MEANING[variant] for variant in variants[1:]] +
               ["time: " + MEANING[variant] for variant in variants[1:]], rows + [means], noise=2)],
        [chart("figure7-" + family, "instructions saved, per cent", series,
               "Higher is better. Our profile should be next to the exact one; the instrumented build "
               "knows more (values, indirect calls) and is the ceiling.")])
