#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""table.py COMMIT SUITE.json...: what consumers.py wrote in each suite, as the section of docs/results.md, to standard output."""
import datetime
import json
import os
import platform
import sys

TEXT = ("One recording of the bundled interpreter for each compiler of a release of Debian, as `scripts/matrix.sh` makes it: "
        "accepted if the compiler or tool says nothing and the program prints the same. Instructions of another input are "
        "counted by callgrind and compared with the same compiler's -O2; beside them those of an instrumented build with the "
        "same training. One program says that profiles are taken, not what they are worth.")
TABLES = (
    ("compilers", ["suite", "compiler", "profile", "accepted", "fewer instructions, %", "instrumented, %"]),
    ("layout", ["suite", "tool", "profile", "accepted", "fewer taken branches, %"]),
    ("tools", ["suite", "tool", "reads", "accepted"]),
)


def main():
    commit, files = sys.argv[1], sys.argv[2:]
    suites = {}
    for path in files:
        with open(path, encoding="utf-8") as file:
            suites[os.path.basename(path).removesuffix(".json")] = json.load(file)
    tables = [{"columns": columns, "digits": 1, "noise": None,
               "rows": [[suite, *row] for suite, result in suites.items() for row in result[name]]}
              for name, columns in TABLES]
    made = {"softlbr": commit[:8], "date": datetime.date.today().isoformat(),
            "machine": "virtual machine of %d processors without PMU, Linux %s" % (os.cpu_count(), ".".join(
                platform.release().split(".")[:2])),
            "command": "scripts/matrix.sh"}
    json.dump({"schema_version": 1, "title": "Compilers and tools of three releases", "text": TEXT, "made": made, "tables": tables},
              sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
