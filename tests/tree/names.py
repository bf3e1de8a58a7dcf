#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""names.py BUILD_DIRECTORY: an external name begins with the noun of the file that defines it.

In branch_stacks.c names are branch_stacks_add, branch_stack_free or branch_...: the file's base name or leading
words of it, in the singular or plural, and a word that says what of it. In isa/ what all CPUs give begins with
isa_, what one gives with its name. Base names are unique, so that a name tells its file.
"""
import collections
import re
import sys

import objects

# What is named by others than us: (files, names, why).
EXCEPTIONS = (
    (r"library/", r"softlbr_", "public: include/softlbr/profile.h"),
    (r"collector/linked/api\.c", r"softlbr_collector_", "public: include/softlbr/collector.h"),
    (r"cli/allocations\.c", r"(m|c|re)alloc$", "libc's, replaced"),
    (r"collector/inside/(interpose/interpose|handler/freestanding)\w*\.c", r"[a-z0-9_]+$",
     "libc's, interposed or for the handlers"),
    (r"cli/", r"cli_", "a command, or what commands share: cli/cli.h"),
    (r"cli/(front|main)\.c", r"main$", "the programs"),
)
# Folders in which a base name may stand again: commands are called as what they call, and CPUs are twins.
COMMANDS = re.compile(r"cli/")
CPU = re.compile(r"isa/(x86_64|aarch64)/")


def words(name):
    """Without the endings of plurals: branch_stacks and branches are branch, stack and branch."""
    return [re.sub(r"(?<=[hsx])es$|s$", "", word) for word in name.split("_") if word]


def is_excepted(source, name):
    return any(re.match(files, source) and re.match(names, name) for files, names, _ in EXCEPTIONS)


def fault_of(source, name):
    """What is wrong with a name that this file defines; None: nothing."""
    if is_excepted(source.as_posix(), name):
        return None
    given = words(name)
    if source.parts[0] == "isa" and given[0] in ("isa", "x86", "aarch64"):
        given = given[1:] + ["of this CPU"]
    if given[0] != words(source.stem)[0]:
        return "does not begin with " + source.stem
    return None if len(given) > 1 else "is one word: it does not say what of it"


def twins():
    """Base names that stand for two files: [files, ...]"""
    by_name = collections.defaultdict(list)
    for source in map(lambda path: path.as_posix(), objects.sources(".c")):
        if not COMMANDS.match(source):
            by_name[re.sub(r".*/", "", source)].append(source)
    return [files for files in by_name.values() if len({CPU.sub("isa/", file) for file in files}) > 1]


def main():
    defined, _ = objects.read(sys.argv[1])
    faults = []
    for source in sorted(defined):
        for name in sorted(defined[source]):
            fault = fault_of(source, name)
            if fault:
                faults.append(f"{source}: {name} {fault}")
    faults += [" and ".join(files) + " have one name" for files in twins()]
    print("\n".join(faults) or f"{sum(map(len, defined.values()))} external names of {len(defined)} files begin with "
          "their file's noun")
    if len(defined) < 100:
        sys.exit(f"{sys.argv[1]} holds objects of {len(defined)} files only: build all first")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
