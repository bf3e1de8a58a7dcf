# SPDX-License-Identifier: MIT
"""Break Dancing's Figures 7 and 8: what builds with a profile gain. From our recording of the training
workload, from exact counts, and from an instrumented build, with gcc, clang and llvm-bolt."""
import os
import shutil
import subprocess

from .. import toolchain
from ..measure import callgrind, content, geometric_mean, spread, taken_branches
from ..report import Section, chart, table
from ..softlbr import fresh
from ..store import OutOfTime, StepFailed

NAME = "speedup"
TITLE = "Speed-up of builds with a profile (Break Dancing, Figures 7 and 8)"
FAMILIES = {
    "gcc": ["gcc-base", "gcc-control", "gcc-ours", "gcc-exact", "gcc-pgo"],
    "clang": ["clang-base", "clang-ours", "clang-exact", "clang-pgo"],
    "bolt": ["bolt-input", "bolt-control", "bolt-ours", "bolt-exact", "bolt-pgo"],
}
MEANING = {
    "base": "no profile", "input": "no profile", "control": "flags alone", "ours": "our profile",
    "exact": "exact profile", "pgo": "instrumented"}
WHAT = {
    "gcc": "gcc -O2: the flags that -fauto-profile implies, without a profile; -fauto-profile with our "
    "profile and with the exact one; -fprofile-use after -fprofile-generate",
    "clang": "clang -O2: -fprofile-sample-use (it implies no other flag, so there is no control) with our "
    "profile and with the exact one; -fprofile-use after -fprofile-generate",
    "bolt": "gcc -O2: llvm-bolt without a profile, with our profile, with the exact one, and with the "
    "counts of llvm-bolt -instrument"}


def measure(evaluation, program):
    return gains(evaluation, program, NAME,
                 [variant for family in evaluation.families for variant in FAMILIES[family]],
                 lambda variant: binary(evaluation, program, variant), "seconds")


def gains(evaluation, program, experiment, variants, binary_of, rounds):
    """Instructions of each variant (FAMILY-KIND) on short, CPU times on the timed workload by round; variants
    that could not be made are missing."""
    binaries, instructions = counted(evaluation, program, experiment, variants, binary_of, instructions_of)
    seconds = {}
    if evaluation.reach:
        try:
            seconds = _seconds(evaluation, program, rounds, binaries)
        except OutOfTime as reason:
            evaluation.miss(experiment, program, "time", reason)
    return {"instructions": instructions, "seconds": seconds}


def counted(evaluation, program, experiment, variants, binary_of, count):
    """variant -> its program, and -> what count says of it, of those that could be made."""
    binaries, counts = {}, {}
    for variant in variants:
        try:
            made = binary_of(variant)
            counts[variant] = count(evaluation, program, variant, made)
            binaries[variant] = made
        except (StepFailed, OutOfTime) as reason:
            evaluation.miss(experiment, program, variant, reason)
    if not binaries:
        raise evaluation.last_miss
    return binaries, counts


def binary(evaluation, program, variant):
    family, kind = variant.split("-")
    evaluation.output(program, family, "short")
    if kind in ("base", "input"):
        return evaluation.base(program, family)
    return {"gcc": _gcc, "clang": _clang, "bolt": _bolt}[family](evaluation, program, kind)


def _gcc(evaluation, program, kind):
    compiler = toolchain.gcc()
    if kind == "control":
        flags = " ".join([toolchain.GCC_BASE, toolchain.GCC_CONTROL, toolchain.GCC_COST_MODEL])
        return evaluation.build(program, "gcc-control", compiler, flags)["binary"]
    if kind == "pgo":
        return instrumented_gcc(evaluation, program, "train")
    return autofdo_gcc(evaluation, program, kind)


def autofdo_gcc(evaluation, program, source):
    compiler = toolchain.gcc()
    profile = evaluation.profile(program, "gcc", source, "gcov", ["--gcc=" + toolchain.gcc_major(compiler)])
    flags = "%s %s" % (toolchain.GCC_BASE, toolchain.autofdo_flags(profile))
    return evaluation.build(program, "gcc-" + source, compiler, flags, key=content(profile))["binary"]


# gcc names counters by the path of the object, so both builds are made in the same place.
GENERATE = "-O2 -g -fprofile-update=single -fprofile-dir=%s -fprofile-generate"
USE = ("-O2 -g -fprofile-use=%s -fprofile-correction -Wno-missing-profile -Wno-coverage-mismatch")


def counting_gcc(evaluation, program):
    """The program that counts what it does, for gcc; with GCOV_PREFIX the counts go elsewhere."""
    compiler = toolchain.gcc()
    flags = GENERATE % evaluation.data(program, "gcda")
    kept = os.path.join(evaluation.data(program, "gcc-counting"), program.name)

    def work():
        # Not all builds link with CFLAGS.
        path = program.build(evaluation.data(program, "build-gcc-instrumented"), compiler, flags,
                             "-fprofile-generate")
        fresh(os.path.dirname(kept))
        shutil.copy2(path, kept)
        return {"binary": kept}

    evaluation.prepare(program)
    return evaluation.step(program, "build-gcc-counting", [compiler.version(), flags], work)["binary"]


def instrumented_gcc(evaluation, program, workload):
    compiler = toolchain.gcc()
    counting = counting_gcc(evaluation, program)
    kept = os.path.join(evaluation.data(program, "build-gcc-pgo-" + workload), program.name)
    flags = USE % evaluation.data(program, "gcda")

    def work():
        # The counts name the directory that they were made in: they are made for this build alone.
        counts = fresh(evaluation.data(program, "gcda"))
        program.run(counting, workload)
        path = program.build(evaluation.data(program, "build-gcc-instrumented"), compiler, flags)
        fresh(os.path.dirname(kept))
        shutil.move(path, kept)
        shutil.rmtree(counts, ignore_errors=True)
        return {"binary": kept, "output": program.run(kept, "short").digest}

    built = evaluation.step(program, "build-gcc-pgo-" + workload, [content(counting), flags], work)
    evaluation.demand_output(program, "gcc", "short", built["output"], "the rebuilt program (gcc-pgo)")
    return built["binary"]


def _clang(evaluation, program, kind):
    compiler = toolchain.clang()
    if kind == "pgo":
        return _instrumented_clang(evaluation, program, compiler)
    profile = evaluation.profile(program, "clang", kind, "llvm-text")
    return evaluation.build(program, "clang-" + kind, compiler, toolchain.CLANG_USE % profile,
                            key=content(profile))["binary"]


def _instrumented_clang(evaluation, program, compiler):
    directory = evaluation.data(program, "profraw")
    merged = evaluation.data(program, "clang.profdata")
    binary = evaluation.build(program, "clang-generate", compiler,
                              "-O2 -g -fprofile-generate=%s" % directory, "-fprofile-generate")["binary"]

    def train():
        fresh(directory)
        program.run(binary, "train")
        done = subprocess.run([toolchain.llvm_profdata(compiler), "merge", "-o", merged, directory],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise StepFailed("llvm-profdata: %s" % done.stdout.strip())
        return {"profile": merged}

    evaluation.step(program, "train-clang", content(binary), train)
    return evaluation.build(program, "clang-pgo", compiler, "-O2 -g -fprofile-use=%s" % merged,
                            key=content(merged))["binary"]


def _bolt(evaluation, program, kind):
    binary = evaluation.bolt_input(program)
    if kind == "control":
        fdata = None
    elif kind == "pgo":
        fdata = _instrumented_bolt(evaluation, program, binary)
    else:
        fdata = evaluation.profile(program, "bolt", kind, "fdata")
    output = evaluation.data(program, "bolt-%s-binary" % kind)

    def work():
        said = toolchain.optimize_layout(binary, fdata, output)
        return dict(said, binary=output, output=program.run(output, "short").digest)

    built = evaluation.step(program, "bolt-" + kind,
                            [content(binary, *filter(None, [fdata])), toolchain.bolt()], work)
    evaluation.demand_output(program, "bolt", "short", built["output"],
                             "the rebuilt program (bolt-%s)" % kind)
    return built["binary"]


def _instrumented_bolt(evaluation, program, binary):
    directory = evaluation.data(program, "bolt-instrumented")
    merged = os.path.join(directory, "merged.fdata")

    def train():
        counting = os.path.join(fresh(directory), program.name)
        toolchain.instrument_layout(binary, counting, os.path.join(directory, "counts"))
        outcome = program.run(counting, "train")
        evaluation.demand_output(program, "bolt", "train", outcome.digest, "llvm-bolt -instrument's")
        toolchain.merge_layout_counts(directory, "counts.*", merged)
        return {"profile": merged}

    evaluation.output(program, "bolt", "train")
    evaluation.step(program, "train-bolt", [content(binary), toolchain.bolt()], train)
    return merged


def _family(variant):
    return variant.split("-")[0]


def instructions_of(evaluation, program, variant, built):
    return _under_callgrind(evaluation, program, variant, built, "instructions")


def taken_branches_of(evaluation, program, variant, built):
    return _under_callgrind(evaluation, program, variant, built, "taken")


def _under_callgrind(evaluation, program, variant, built, what):
    def work():
        directory = fresh(evaluation.data(program, "callgrind-" + variant))
        instructions, digest, files = callgrind(program, built, "short", directory, exact=what == "taken")
        count = taken_branches(files) if what == "taken" else instructions
        shutil.rmtree(directory)
        evaluation.demand_output(program, _family(variant), "short", digest,
                                 "%s under callgrind" % variant)
        return count

    return evaluation.step(program, "%s-%s" % (what, variant), content(built), work)


def timed(evaluation, program, family, what, binary):
    """A function for Evaluation.rounds: CPU seconds of the timed workload, whose output must be right."""
    workload = evaluation.options.workload

    def once():
        outcome = program.run(binary, workload)
        evaluation.demand_output(program, family, workload, outcome.digest, what)
        return outcome.cpu_seconds

    evaluation.output(program, family, workload)
    return once


def _seconds(evaluation, program, name, binaries):
    return evaluation.rounds(
        program.name, name,
        [{variant: content(binary) for variant, binary in binaries.items()}, evaluation.options.workload],
        {variant: timed(evaluation, program, _family(variant), "the rebuilt program (%s)" % variant, binary)
         for variant, binary in binaries.items()}, evaluation.runs(program))


def present(evaluation, results):
    sections = []
    for family, variants in FAMILIES.items():
        name = "figure7-" + family
        tables, charts = bars(name, variants, [_meaning(variant) for variant in variants[1:]], results,
                              5 if evaluation.options.runs > 2 else None, EXPLAINED[family])
        sections.append(_section(name, family, evaluation.options.training_seconds, tables, charts))
    return sections


def _meaning(variant):
    return MEANING[variant.split("-")[1]]


def bars(name, variants, heads, results, timed_noise, explained):
    """Tables and charts of what variants gain over the first of them; heads: what the others are."""
    base, others = variants[0], variants[1:]
    counts, times, spreads, ratios, quartiles = [], [], [], {}, {}
    for program, result in results:
        instructions, seconds = result["instructions"], result["seconds"]
        head = [program.name, program.about["spec"]]
        counts.append(head + [instructions.get(base)])
        times.append(list(head))
        spreads.append([program.name, len(seconds.get(base, []))])
        for variant in others:
            gain = None
            if variant in instructions and base in instructions:
                ratio = instructions[variant] / instructions[base]
                ratios.setdefault(("instructions", variant), []).append(ratio)
                gain = 100 * (1 - ratio)
            counts[-1].append(gain)
            pairs = None
            if variant in seconds and base in seconds:
                pairs = spread([100 * (b / v - 1) for b, v in zip(seconds[base], seconds[variant])])
                ratios.setdefault(("time", variant), []).append(1 + pairs["median"] / 100)
            times[-1].append(pairs and pairs["median"])
            quartiles[program.name, variant] = (pairs["low"], pairs["high"]) if pairs else ()
            spreads[-1].append(pairs and "%+.1f to %+.1f" % (pairs["low"], pairs["high"]))
    means = {part: [geometric_mean(ratios[part, variant]) if (part, variant) in ratios else None
                    for variant in others] for part in ("instructions", "time")}
    counts.append(["geometric mean", "", None] + [mean and 100 * (1 - mean)
                                                  for mean in means["instructions"]])
    times.append(["geometric mean", ""] + [mean and 100 * (mean - 1) for mean in means["time"]])
    tables = [table(["program", "SPEC row", "instructions of the base"] +
                    ["instructions saved, %%: %s" % head for head in heads], counts, noise=2)]
    charts = [chart(name + "-instructions", "instructions saved, per cent",
                    {head: [(row[0], row[3 + index]) for row in counts]
                     for index, head in enumerate(heads)}, explained)]
    if any(row[1] for row in spreads):
        tables += [table(["program", "SPEC row"] + ["CPU time gained, %%: %s" % head for head in heads],
                         times, noise=timed_noise),
                   table(["program", "rounds"] + ["quartiles: %s" % head for head in heads], spreads)]
        charts.append(chart(name, "CPU time gained, per cent",
                            {head: [(row[0], row[2 + index], *quartiles.get((row[0], others[index]), ()))
                                    for row in times]
                             for index, head in enumerate(heads)},
                            "Medians of paired rounds, with their quartiles. On a machine whose processors others "
                            "use, a gain that is smaller than the distance of its quartiles means nothing."))
    return tables, charts


def _section(name, family, seconds, tables, charts):
    return Section(
        name, "Speed-up with %s (Figures 7 and 8)" % {"bolt": "llvm-bolt"}.get(family, family),
        "Against %s. Instructions saved on the short input, in percent (callgrind: no noise). CPU time "
        "gained on the timed input, in percent: medians of paired, interleaved rounds, and their "
        "quartiles. Our profile, of about %g s of CPU time by default options, and the instrumented "
        "build's come from the training input. The exact profile comes from the short input itself, so its "
        "instructions saved are an upper bound. The papers' figures are bars without numbers: most of SPEC "
        "2006 gains 0 to 10 %%, perlbench, povray and xalancbmk the most." % (WHAT[family], seconds), tables, charts)


EXPLAINED = {
    "gcc": "Higher is better. Our profile should be next to the exact one; the instrumented build has more "
    "information (values, indirect calls) and is the upper bound. The gain of the flags alone is not a "
    "gain of the profile.",
    "clang": "Higher is better. Our profile should be next to the exact one; the instrumented build has "
    "more information (values, indirect calls) and is the upper bound.",
    "bolt": "llvm-bolt moves code and saves few instructions (jumps over jumps). It gains by fewer taken "
    "branches and cache misses, which only the CPU time shows."}
