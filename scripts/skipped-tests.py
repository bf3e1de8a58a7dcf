#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""skipped-tests.py JUNIT_FILE: name each test that ctest skipped, with the last line it printed."""
import sys
import xml.etree.ElementTree as tree

for case in tree.parse(sys.argv[1]).getroot().iter("testcase"):
    if case.find("skipped") is None:
        continue
    output = (case.findtext("system-out") or "").strip().splitlines()
    print("  skipped: %s: %s" % (case.get("name"), output[-1] if output else "no reason printed"))
