# SPDX-License-Identifier: MIT
"""A section of docs/results.md that a benchmark makes: docs/evaluation/README.md."""
import json
import os
import platform
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def write(path, title, text, columns, rows, command, digits=0):
    """Of one table, of the checked out commit (SOFTLBR_COMMIT where only its files are) and this machine."""
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=False)
    section = {
        "schema_version": 1,
        "title": title,
        "text": text,
        "made": {
            "softlbr": commit.stdout.strip() or os.environ.get("SOFTLBR_COMMIT", "")[:8],
            "date": time.strftime("%Y-%m-%d"),
            "machine": "virtual machine of %d processors without PMU, Linux %s" % (
                os.cpu_count(), platform.release().split("-")[0]),
            "command": command,
        },
        "tables": [{"columns": columns, "digits": digits, "noise": None, "rows": rows}],
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(section, file, indent=1)
        file.write("\n")
