# SPDX-License-Identifier: MIT
"""gcc -fprofile-use with counters of an ordinary program's profile: Break Dancing's Figure 7 beside real
instrumentation, and how near the counters are to the real ones.

gcc knows counters by the object's path and by the graph at its profile pass, so all builds are made in one
place, with one compiler script and with COUNTERS_BASE. Everything is trained on the train input, and
evaluated on others."""
import glob
import os
import shutil

from .. import gcda, toolchain
from ..measure import arithmetic_mean, content, geometric_mean
from ..report import Section, table
from ..softlbr import fresh
from ..store import OutOfTime, Skipped, StepFailed
from . import speedup

NAME = "counters"
TITLE = "Counters of ordinary programs for gcc -fprofile-use (Break Dancing, Figure 7)"
# kind of build -> (what it is called, where its profile is from, flags beside it)
NO_VALUES = "-fno-profile-values -fno-vpt"
LTO = "-flto"
KINDS = {
    "base": ("no profile", None, ""),
    "flags": ("flags alone", "nothing", ""),
    "autofdo": ("-fauto-profile", "autofdo", ""),
    "ours": ("our counters, sampled", "sampled", ""),
    "exact": ("our counters, exact", "exact", ""),
    "edges": ("instrumented without values", "real", NO_VALUES),
    "pgo": ("instrumented", "real", "")}
# Of Taming's Figure 5: components.py.
WHOLE_KINDS = {
    "lto": ("-flto without a profile", None, LTO),
    "grouped": ("with -flto", "sampled", LTO),
    "values": ("with -flto and values", "values", LTO),
    "whole": ("instrumented with -flto", "real", LTO)}
BASE, FLAGS, REAL = "counters-base", "counters-flags", "counters-pgo"
PROFILES = ("sampled", "exact")


def measure(evaluation, program):
    """What speedup.gains has, and by kind of build: what gcc said of its profile; by source: the overlap with
    the real counters."""
    warnings, overlaps = {}, {}

    def binary_of(variant):
        built = build(evaluation, program, variant)
        if "mismatched" in built:
            warnings[variant] = built
        return built["binary"]

    found = speedup.gains(evaluation, program, NAME, ["counters-" + kind for kind in KINDS], binary_of,
                          "counters-seconds")
    for source in PROFILES:
        try:
            overlaps[source] = _overlap(evaluation, program, source)
        except (StepFailed, OutOfTime) as reason:
            evaluation.miss(NAME, program, "overlap of %s counters" % source, reason)
    return dict(found, warnings=warnings, overlaps=overlaps)


def build(evaluation, program, variant):
    """What is kept of a build (evaluation.py), with the number of its warnings."""
    kind = variant.split("-")[1]
    _, source, more = {**KINDS, **WHOLE_KINDS}[kind]
    evaluation.output(program, "counters", "short")
    if kind == "base":
        return {"binary": evaluation.counters_base(program)}
    flags, key = _profile_flags(evaluation, program, source)
    compiler = evaluation.counters_compiler(program)
    real = source and os.path.join(evaluation.data(program, "counters-real"), "")

    def warnings():
        known = gcda.files(real)
        return compiler.warnings(lambda name: name in known)

    return evaluation.build(program, variant, compiler,
                            " ".join(filter(None, [toolchain.COUNTERS_BASE, flags, more])),
                            more if more == LTO else "", key, "counters",
                            warnings if source in ("real", "sampled", "exact", "values") else dict)


def _profile_flags(evaluation, program, source):
    """The compiler's flags for a profile, and what its content is."""
    if not source:
        return "", None
    if source == "nothing":
        # All that a profile switches on, at the place where it would: a program's own flags win over both.
        return "-fprofile-use=" + evaluation.data(program, "counters-nothing"), None
    if source == "autofdo":
        path = _converted(evaluation, program, "autofdo")["file"]
        return toolchain.autofdo_flags(path), content(path)
    if source == "real":
        return "-fprofile-use=" + evaluation.data(program, "counters-real"), _real(evaluation, program)
    place = evaluation.data(program, "counters-use-" + source)
    return "-fprofile-use=" + place, _for_gcc(evaluation, program, source, place)


# Real counters

def _real(evaluation, program):
    """The digest of what the instrumented program counts, kept in counters-real."""
    counted, kept = (evaluation.data(program, name) for name in ("counters-counted", "counters-real"))
    flags = "%s -fprofile-update=single -fprofile-dir=%s -fprofile-generate" % (
        toolchain.COUNTERS_BASE, counted)
    binary = evaluation.build(program, "counters-counting", evaluation.counters_compiler(program), flags,
                              "-fprofile-generate", place="counters")["binary"]
    evaluation.output(program, "counters", "train")

    def train():
        fresh(counted)
        outcome = program.run(binary, "train")
        evaluation.demand_output(program, "counters", "train", outcome.digest, "the instrumented program")
        shutil.rmtree(kept, ignore_errors=True)
        os.rename(counted, kept)
        return _digest(kept)

    return evaluation.step(program, "counters-real", content(binary), train)


def _digest(directory):
    paths = sorted(gcda.files(directory).values())
    if not paths:
        raise StepFailed("no counters in %s" % directory)
    return content(*paths)


# Ours

def _converted(evaluation, program, source):
    """The profile of the training recording or of exact counts: AutoFDO's, or counters by the keys."""
    if source != "autofdo" and not evaluation.softlbr.can("convert", "gcda"):
        raise Skipped("this softlbr's convert has no --to gcda")
    if source == "values" and not evaluation.softlbr.can("record", "--values"):
        raise Skipped("this softlbr's record has no --values")
    binary = evaluation.counters_base(program)
    if source == "exact":
        files = evaluation.exact(program, "counters", "train")["files"]
    else:
        files = _recorded(evaluation, program, ["--values"] if source == "values" else [])
    path = evaluation.data(program, "counters-" + source)
    if source == "autofdo":
        form, options, keys = "gcov", ["--gcc=" + toolchain.gcc_major(toolchain.gcc())], None
    else:
        form, options = "gcda", ["--keys", evaluation.data(program, "counters-keys")]
        keys = _keys(evaluation, program)

    def work():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if form == "gcda":
            shutil.rmtree(path, ignore_errors=True)
        done = evaluation.softlbr.convert(binary, files, {form: path}, options)
        return dict(done, file=path, digest=content(path) if form == "gcov" else _digest(path))

    # Another build of softlbr, other counters.
    maker = evaluation.version if form == "gcov" else evaluation.softlbr.build()
    return evaluation.step(program, "counters-" + source, [content(binary, *files), keys, options, maker], work)


def _recorded(evaluation, program, options):
    """Recordings of as many training runs as take options.recorded_seconds."""
    share = evaluation.options.share
    return evaluation.record_for(share * evaluation.options.recorded_seconds, program, "counters", "train",
                                 "counters-record" + "".join(options), options)["files"]


def _keys(evaluation, program):
    """What gcc prints of the graphs that its counters are of, in counters-keys; never run."""
    place, keys = (evaluation.data(program, name) for name in ("build-counters", "counters-keys"))
    compiler = evaluation.counters_compiler(program)
    ready = evaluation.softlbr.can("gcc-keys", "-o")

    def work():
        fresh(keys)
        if ready:
            # It asks the compiler what it runs: the log would take the answer.
            program.build(place, compiler.real, toolchain.COUNTERS_BASE,
                          prefix=[evaluation.softlbr.path, "gcc-keys", "-o", keys, "--root", place, "--"])
        else:
            program.build(place, compiler, "%s %s" % (toolchain.COUNTERS_BASE, toolchain.COUNTERS_KEYS),
                          "-fprofile-generate")
            _copy_keys(place, keys)
        return content(*sorted(gcda.files(keys, "gcno").values()))

    return evaluation.step(program, "counters-keys", [compiler.version(), ready], work)


def _copy_keys(place, keys):
    for kind in ("gcno", "profile"):
        for path in glob.glob(os.path.join(glob.escape(place), "**", "*." + kind), recursive=True):
            target = os.path.join(keys, os.path.relpath(path, place))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(path, target)


def _for_gcc(evaluation, program, source, place):
    """Our counters in a directory where gcc finds them, named as the real ones; the digest of them."""
    ours = _converted(evaluation, program, source)
    digest = _real(evaluation, program)
    real = evaluation.data(program, "counters-real")

    def work():
        fresh(place)
        known = gcda.files(real)
        for name, path in gcda.files(ours["file"]).items():
            same = gcda.same_object(name, known)
            if same:
                target = os.path.join(place, os.path.relpath(known[same], real))
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(path, target)
        return _digest(place)

    return evaluation.step(program, "counters-use-" + source, [ours["digest"], digest], work)


def _overlap(evaluation, program, source):
    ours = _converted(evaluation, program, source)
    digest = _real(evaluation, program)
    keys = evaluation.data(program, "counters-keys")

    def work():
        found = gcda.compare(evaluation.data(program, "counters-real"), ours["file"])
        known = gcda.files(keys, "gcno")
        found["lost"] = [[_function(known, name, ident), share] for name, ident, share in found["lost"]]
        return dict(found, cpu_seconds=ours["cpu_seconds"], peak_mib=ours["peak_mib"])

    return evaluation.step(program, "counters-overlap-" + source, [ours["digest"], digest], work)


def _function(graphs, name, ident):
    path = graphs.get(gcda.same_object(name, graphs) or next(
        (other for other in graphs if name.endswith(other)), None))
    return gcda.names(path).get(ident, "?") if path else "?"


# The report

def present(evaluation, results):
    variants = ["counters-" + kind for kind in KINDS]
    heads = [meaning for meaning, _, _ in KINDS.values()][1:]
    noise = 5 if evaluation.options.runs > 2 else None
    tables, charts = speedup.bars(
        "figure7-counters", variants, heads, results, noise,
        "Higher is better. Our counters should be next to the instrumented build's, and above what the flags "
        "save without any profile.")
    return [Section(
        "figure7-counters", "Counters of ordinary programs for gcc -fprofile-use (Figure 7)",
        "Against gcc %s. Flags alone: -fprofile-use without counters. -fauto-profile, and counters by "
        "convert --to gcda, from a recording of about %d s of CPU time by default options; counters from exact "
        "counts; -fprofile-use after -fprofile-generate, without and with value profiles. All profiles come "
        "from the training input. Instructions saved on the short input, in percent (callgrind: no noise); CPU "
        "time gained on the timed input, in percent. The first table sums up the second: the mean of what is "
        "saved, its share of what the instrumented build saves, the same share of what is left when the flags "
        "alone are taken off both, and the program that is worst off." %
        (toolchain.COUNTERS_BASE, evaluation.options.recorded_seconds), [_summary(results)] + tables, charts),
        _counters_section(results)]


def saved_over_base(results, variant, beside):
    """Mean saving over the programs that have this and others, per cent, and program -> saving."""
    saved = {}
    for program, result in results:
        counts = result["instructions"]
        if all(name in counts for name in (BASE, variant, *beside)):
            saved[program.name] = 100 * (1 - counts[variant] / counts[BASE])
    mean = geometric_mean([1 - value / 100 for value in saved.values()])
    return (100 * (1 - mean) if saved else None), saved


def _summary(results):
    rows = []
    for kind, (meaning, _, _) in list(KINDS.items())[1:]:
        variant = "counters-" + kind
        mean, saved = saved_over_base(results, variant, (FLAGS, REAL))
        if not saved:
            continue
        flags, _ = saved_over_base(results, FLAGS, (variant, REAL))
        real, _ = saved_over_base(results, REAL, (FLAGS, variant))
        worst = min(saved, key=saved.get)
        rows.append([meaning, len(saved), mean, share(mean, real), share(mean - flags, real - flags),
                     "%s: %.1f" % (worst, saved[worst])])
    return table(["build", "programs", "instructions saved, %", "share of the instrumented build's, %",
                  "share over the flags alone, %", "worst program, %"], rows, noise=[None, None, 1, None, None, None])


def share(part, whole):
    """In per cent; None of what is next to nothing."""
    return 100 * part / whole if whole > 0.5 else None


def _counters_section(results):
    scores, said = [], []
    for program, result in results:
        row, found = [program.name], result["overlaps"]
        for source in PROFILES:
            score = found.get(source)
            row += [100 * score["edge"], 100 * score["function"], score["absent"]] if score else [None] * 3
        either = found.get("sampled") or found.get("exact") or {"lost": ()}
        row += [either.get(part) for part in ("ran", "cpu_seconds", "peak_mib")]
        row += [", ".join("%s %.1f" % (name, 100 * share) for name, share in found[source]["lost"][:3])
                if source in found else None for source in PROFILES]
        scores.append(row)
        said.append([program.name])
        for kind in ("ours", "exact", "edges", "pgo"):
            warnings = result["warnings"].get("counters-" + kind, {})
            said[-1] += [warnings.get("missing"), warnings.get("mismatched")]
    heads = ["%s: %s" % (source, what) for source in PROFILES
             for what in ("edges, %", "functions, %", "functions that ran, without counters")]
    means = [arithmetic_mean([row[index] for row in scores]) if index % 3 else None for index in range(1, 7)]
    scores.append(["mean", *means, *[None] * 5])
    return Section(
        "counters", "Our counters against the real ones",
        "Overlap with the counters of the instrumented program on the same input, over all of the program's "
        "objects, in percent. What is missing of the functions' overlap lies between functions, the rest within "
        "them; the last columns have the functions that lose most, in points. Conversion is that of the "
        "recording. The second table counts the compiler's warnings: a function without counters "
        "(-Wmissing-profile: also one that never ran, or that another object has), and one whose graph is "
        "another than that of its counters (-Wcoverage-mismatch).",
        [table(["program"] + heads + ["functions that ran", "conversion, CPU s", "conversion, MiB",
                                      "sampled: lost, points", "exact: lost, points"],
               scores, noise=[None, 3, 3, None, 1, 1] + [None] * 6),
         table(["program"] + ["%s: %s" % (KINDS[kind][0], what) for kind in ("ours", "exact", "edges", "pgo")
                              for what in ("missing", "mismatched")], said)], [])
