#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""own_calls.py BUILD_DIRECTORY [PREFIX]: the collector calls no function of libc through its own exported one.

What it exports stands before libc's functions, for the program. Its own code calls the kernel, or libc's behind
those (collector/inside/interpose/interposed.c). Read from the linked library: a call of an exported function, by
the PLT or directly, is one from interpose/, or an address that nothing outside uses. PREFIX is as in handlers.py.
"""
import re
import subprocess
import sys
from pathlib import Path

PREFIX = sys.argv[2] if len(sys.argv) > 2 else ""
# What programs call by its name is no function of libc.
PUBLIC = re.compile(r"softlbr_collector_\w+")


def binutil(name, *arguments):
    return subprocess.run((PREFIX + name, *arguments), check=True, capture_output=True, text=True).stdout


def plain(name):
    """foo.cold, foo.isra.0 and foo@@VERSION are foo."""
    return re.split(r"[.@]", name)[0]


def read_functions(library):
    """{address: (function, source file; None where it is visible to other files)}"""
    found, source = {}, None
    for line in binutil("objdump", "-t", library).splitlines():
        symbol = re.match(r"([0-9a-f]{16}) (.{7}) (\S+)\s+[0-9a-f]{16}\s+(?:\S+ )?(\S*)$", line)
        if not symbol:
            continue
        address, flags, section, name = symbol.groups()
        if "f" in flags:
            source = None if section != "*ABS*" or not name.endswith(".c") else name
        elif section == ".text":
            found.setdefault(int(address, 16), (name, source if flags[0] == "l" else None))
    return found


def main():
    build = Path(sys.argv[1])
    library = build / "libsoftlbr-collector.so"
    exported = {plain(line.split()[2]) for line in binutil("nm", "-D", "--defined-only", library).splitlines()}
    exported = {name for name in exported if not PUBLIC.fullmatch(name)}
    objects = list(build.glob("collector/CMakeFiles/softlbr-collector.dir/inside/interpose/*.o"))
    files = {path.name[:-2] for path in objects}
    visible = {line.split()[2] for path in objects
               for line in binutil("nm", "--defined-only", path).splitlines() if line.split()[1] == "T"}
    functions = read_functions(library)
    failures, calls, caller = set(), 0, (None, None)
    for line in binutil("objdump", "-d", "--no-show-raw-insn", "-j", ".text", library).splitlines():
        head = re.match(r"([0-9a-f]{16}) <(.+)>:$", line)
        if head:
            caller = functions.get(int(head[1], 16), (head[2], None))
        to = re.search(r"\s(?:call|jmp|j\w+|bl?|b\.\w+)\s.*<([^>+]+)>$", line)
        if not to or plain(to[1]) not in exported:
            continue
        calls += 1
        name, source = caller
        if source not in files and plain(name) not in visible:
            failures.add(f"{name} ({source or 'visible'}) calls {plain(to[1])}")
    for line in binutil("readelf", "-rW", library).splitlines():
        got = re.search(r"GLOB_DAT\s+[0-9a-f]{16} (\S+)", line)
        if got and plain(got[1]) in exported:
            failures.add(f"the address of {plain(got[1])} is taken")
    if len(files) < 8 or not calls:
        sys.exit(f"FAIL: {len(files)} objects of interpose/ and {calls} calls: is this a build of the collector?")
    if failures:
        print("\n".join(sorted(failures)))
        sys.exit("FAIL: the library comes in through its own door")
    print(f"{calls} calls of {len(exported)} exported functions are interpose/'s")


main()
