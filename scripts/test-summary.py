#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test-summary.py JUNIT_FILE: how many test cases of a run of ctest were executed, and what was not.
test-summary.py --total JUNIT_FILE...: the tests of all these runs, in ctest's words.

A test case is a test of a cmocka program, a directory of tests/cases, or a test that is neither. What could not be done
is listed: tests that ctest calls skipped (status 77), cmocka's skipped tests, skipped directories of tests/cases,
and whatever a test says in a line that begins with SKIP: or PARTLY SKIPPED:.
"""
import re
import sys
import xml.etree.ElementTree as tree

CMOCKA_RUN = re.compile(r"^\[ RUN +\] (\w+)$", re.M)
CMOCKA_SKIPPED = re.compile(r"^\[  SKIPPED \] (\w+)$", re.M)
CASES = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
CASE_SKIPPED = re.compile(r"skip ([\w-]+): (.*)$")
REASON = re.compile(r"(?:SKIP|PARTLY SKIPPED|skipped): (.*)$")


def executed(output, is_skipped):
    """The number of test cases."""
    cases = CASES.search(output)
    if cases:
        return int(cases[1]) + int(cases[2])
    run = CMOCKA_RUN.findall(output)
    if run:
        return len(run) - len(set(CMOCKA_SKIPPED.findall(output)))
    return 0 if is_skipped else 1


def skipped(output, is_skipped):
    """(part, reason) of what was not done; part is empty if it has no name."""
    found = {}
    for line in output.splitlines():
        case, test, said = CASE_SKIPPED.match(line), CMOCKA_SKIPPED.match(line), REASON.match(line)
        if case:
            found[case[1]] = case[2]
        elif test:
            # said just before, by the test that then skipped itself
            found.setdefault(test[1], found.pop("", None) or "no reason printed")
        elif said:
            found[""] = said[1] if "" not in found else found[""] + "; " + said[1]
    if is_skipped and not found:
        found[""] = (output.strip().splitlines() or ["no reason printed"])[-1]
    return found.items()


def tests_of(path):
    return list(tree.parse(path).getroot().iter("testcase"))


def summarize(path):
    total = 0
    for test in tests_of(path):
        is_skipped = test.find("skipped") is not None
        output = test.findtext("system-out") or ""
        total += executed(output, is_skipped)
        for part, reason in skipped(output, is_skipped):
            what = "skipped" if is_skipped else "partly skipped"
            print("  %s: %s%s: %s" % (what, test.get("name"), part and " " + part, reason))
    print("  test cases executed: %d" % total)


def add_up(paths):
    tests = [test for path in paths for test in tests_of(path)]
    failed = sum(test.find("failure") is not None for test in tests)
    print("%d%% tests passed, %d tests failed out of %d" % (100 * (len(tests) - failed) // max(len(tests), 1),
                                                          failed, len(tests)))


def main():
    if sys.argv[1:2] == ["--total"]:
        add_up(sys.argv[2:])
    else:
        summarize(sys.argv[1])


if __name__ == "__main__":
    main()
