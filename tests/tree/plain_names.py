#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plain_names.py: no function name of one word is defined in FILES files or more.

Backtraces and profiles show names alone: `take` in one of fourteen files says nothing, `value_sites_take` or
`take_site` does. External names are names.py's.
"""
import collections
import sys

import objects
import size

FILES = 5


def main():
    files, count = collections.defaultdict(set), 0
    for path in objects.sources(".c") + objects.sources(".h"):
        for _, name in size.read_functions((objects.ROOT / path).read_text().splitlines()):
            count += 1
            if "_" not in name:
                files[name].add(path.as_posix())
    common = {name for name in files if len(files[name]) >= FILES}
    for name in sorted(common, key=lambda name: (-len(files[name]), name)):
        print(f"{name} is defined in {len(files[name])} files: " + ", ".join(sorted(files[name])))
    if count < 3000:
        sys.exit(f"only {count} functions were found")
    print(f"{len(common)} of {len(files)} names of one word stand in {FILES} files or more")
    sys.exit(bool(common))


if __name__ == "__main__":
    main()
