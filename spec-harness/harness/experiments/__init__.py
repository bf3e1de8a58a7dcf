# SPDX-License-Identifier: MIT
"""The experiments, in the order of the report. A module has a NAME and the paper's TITLE, and either
measure(evaluation, program) with present(evaluation, [(program, result)]), or measure_machine(evaluation)
with present_machine(result). One program's failure stops nothing else, and is in the report."""
import dataclasses
import multiprocessing
import signal
import sys

from ..report import Section, table
from ..store import OutOfTime, Skipped, StepFailed
from . import (accuracy, addresses, breakpoints, collector, components, counters, defaults, frequencies, gzip, inputs,
               instrumentation, overhead, server, similarity, speedup, verdicts, versions)

ALL = [overhead, breakpoints, server, similarity, gzip, speedup, counters, components, addresses, frequencies,
       defaults, instrumentation, inputs, collector, accuracy, verdicts, versions]
COMPILERS = tuple(speedup.FAMILIES)
# (experiments, compilers) of what needs no quiet machine, then rounds of what is timed: an evaluation that runs
# out of time has all of the first, and one round of everything before the second of anything. What is there is
# not measured again.
UNTIMED = [((gzip, similarity, frequencies), ()), ((accuracy, addresses), ()), ((speedup,), ("gcc",)),
           ((speedup,), ("clang",)), ((speedup,), ("bolt",)), ((inputs,), COMPILERS), ((counters,), ()),
           ((components,), ()), ((defaults,), ()), ((versions,), ()),
           *(((verdicts,), (workload,)) for workload in verdicts.WORKLOADS)]
TIMED = [1, 99]


def chosen(names):
    if not names:
        return ALL
    known = {module.NAME: module for module in ALL}
    unknown = [name for name in names.split(",") if name not in known]
    if unknown:
        sys.exit("spec-harness: no experiment %s; there are: %s" % (", ".join(unknown),
                                                                    " ".join(known)))
    return [known[name] for name in names.split(",")]


@dataclasses.dataclass
class Results:
    """found: experiment -> result, or -> [(program, result)]; missing: (experiment, program, status,
    reason), status one of failed, skipped, not begun."""
    found: dict
    missing: list

    def status(self):
        return 1 if any(status == "failed" for _, _, status, _ in self.missing) else 0

    def summary(self):
        for experiment, program, status, reason in _grouped(self.missing):
            yield "%s: %s%s: %s" % (status.upper(), experiment, " of " + program if program else "",
                                    reason)


def run(evaluation, modules, processors):
    """What is not timed is done by as many processes as there are processors, each at a program of its own; then
    the rest by one."""
    lanes = max(1, min(processors, len(evaluation.programs)))
    for program in evaluation.programs:
        program.jobs = processors // lanes + (lanes > 1)  # in the end others' are free
    fork = multiprocessing.get_context("fork")
    helpers = [fork.Process(target=_help, args=(evaluation, modules), daemon=True) for _ in range(lanes - 1)]
    for helper in helpers:
        helper.start()
    _untimed(evaluation, modules)
    for helper in helpers:
        helper.join()
    for reach in TIMED:
        evaluation.reach, evaluation.families = reach, COMPILERS
        results = _pass(evaluation, modules, True)
    return results


def _untimed(evaluation, modules):
    for measured, families in UNTIMED:
        evaluation.reach, evaluation.families = 0, families
        _pass(evaluation, [module for module in modules if module in measured], False)


def _help(evaluation, modules):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        _untimed(evaluation, modules)
    except KeyboardInterrupt:
        sys.exit(1)


def _pass(evaluation, modules, is_whole):
    """is_whole: for the results of all programs, else for the steps, of which others make some."""
    evaluation.missing = []
    results = Results({module.NAME: [] for module in modules if hasattr(module, "measure")}, [])
    for program in _claimed(evaluation.store, [None] + evaluation.programs, is_whole):
        for module in modules:
            if program and hasattr(module, "measure"):
                _attempt(results, module, program,
                         lambda module=module, program=program: results.found[module.NAME].append(
                             (program, module.measure(evaluation, program))))
            elif not program and hasattr(module, "measure_machine"):
                _attempt(results, module, None,
                         lambda module=module: results.found.__setitem__(
                             module.NAME, module.measure_machine(evaluation)))
    results.missing += evaluation.missing
    for module in modules:
        if hasattr(module, "measure"):
            results.found[module.NAME].sort(key=lambda found: evaluation.programs.index(found[0]))
    return results


def _claimed(store, programs, is_whole):
    """The programs (None: what is of the machine), each ours while it is worked at; those that another
    evaluation works at in the same directory are waited for at the end, or left to it unless is_whole."""
    left = list(programs)
    while left and not store.is_out_of_time():
        claims = ((program, store.claim(_name(program))) for program in left)
        program, claim = next((pair for pair in claims if pair[1]), (left[0], None))
        if not (claim or is_whole):
            return
        with claim or store.claim(_name(program), wait=True):
            yield program
        left.remove(program)
    yield from left  # nothing more is begun


def _name(program):
    return program.name if program else "machine"


def _attempt(results, module, program, work):
    name = program.name if program else ""
    try:
        work()
    except OutOfTime as step:
        results.missing.append((module.NAME, name, "not begun", "out of time before %s" % step))
    except Skipped as reason:
        results.missing.append((module.NAME, name, "skipped", str(reason)))
    except StepFailed as reason:
        results.missing.append((module.NAME, name, "failed", str(reason)))


def present(evaluation, modules, results):
    sections = [_state(evaluation, modules, results), _programs(evaluation)]
    for module in modules:
        found = results.found.get(module.NAME)
        if not found:
            continue
        sections += module.present_machine(found) if hasattr(module, "present_machine") else \
            module.present(evaluation, found)
    if results.missing:
        differs = any("OUTPUT DIFFERS" in reason for _, _, _, reason in results.missing)
        sections.insert(0 if differs else len(sections), Section(
            "missing", "OUTPUT DIFFERS, and other failures" if differs else "What is missing, and why",
            "Steps that failed, that are impossible on this machine, or for which there was no time.",
            [table(["experiment", "program", "status", "reason"], _grouped(results.missing))], []))
    return sections


def _grouped(missing):
    """What was not begun, in a row for each experiment; everything else as it is."""
    rows, waiting = [], {}
    for experiment, program, status, reason in missing:
        if status == "not begun":
            waiting.setdefault(experiment, []).append(program.split(",")[0])
        else:
            rows.append([experiment, program, status, reason])
    for experiment, programs in waiting.items():
        names = list(dict.fromkeys(name for name in programs if name))
        rows.append([experiment, " ".join(names), "not begun", "out of time, for all or a part of it"])
    return rows


def _state(evaluation, modules, results):
    """How far the evaluation is: what a reader of an unfinished one must know first."""
    rows = []
    for module in modules:
        found = results.found.get(module.NAME) or []
        of_machine = hasattr(module, "measure_machine")
        parts = sum(1 for experiment, _, _, _ in results.missing if experiment == module.NAME)
        rows.append([module.NAME, module.TITLE, 1 if of_machine else len(evaluation.programs),
                     (1 if found else 0) if of_machine else len(found), parts])
    return Section(
        "state", "How far this evaluation is",
        "For each experiment: the number of its programs (or machines: 1), of those with results, and of "
        "missing parts, which the last section lists. The tables of timed experiments say how many rounds "
        "they are from.",
        [table(["experiment", "what", "of", "with results", "missing parts"], rows)], [])


def _programs(evaluation):
    rows = []
    for program in evaluation.programs:
        try:
            versions = evaluation.prepare(program)
        except (StepFailed, OutOfTime) as reason:
            versions = {"-": str(reason)}
        rows.append([program.name, program.about["spec"], program.about["match"],
                     program.about["language"], program.about["what"],
                     ", ".join("%s %s" % pair for pair in versions.items()) or "-"])
    return Section("programs", "Programs",
                   "Each program represents the row of SPEC CPU2006 next to it. The column match says how "
                   "close it is: the same program, a descendant, a sibling, or a stand-in by method or "
                   "domain.",
                   [table(["program", "SPEC row", "match", "language", "what it is", "sources"], rows)],
                   [])
