# SPDX-License-Identifier: MIT
"""What names.py and circles.py read: the objects that the product's rooms were built to."""
import collections
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("base", "isa", "formats", "mcf", "converter", "compare", "report", "library", "collector", "cli")
# "0000000000000040 T name", or "                 U name"
SYMBOL = re.compile(r"^(?:[0-9a-f]+)?\s+([A-Za-z]) (\S+)$")


def sources(suffix):
    """The files of the product's rooms, relative to the tree."""
    return sorted(path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*" + suffix))


def read(build):
    """Of each source file what its objects define for others, {name: kind}, and what they need, {name}.

    A file that is built for two targets has what both have.
    """
    objects = {}
    for room in ROOMS:
        for path in (Path(build) / room).rglob("*.c.o"):
            inside = path.as_posix().split(".dir/", 1)[1]
            objects[path] = Path(room) / inside[:-len(".o")]
    defined, needed = collections.defaultdict(dict), collections.defaultdict(set)
    for path, source in objects.items():
        if not (ROOT / source).exists():
            continue  # left behind by a file that was renamed
        listing = subprocess.run(["nm", "--extern-only", path], check=True, capture_output=True, text=True).stdout
        for line in listing.splitlines():
            match = SYMBOL.match(line)
            if not match:
                continue
            kind, name = match.groups()
            if kind in "Uvw":
                needed[source].add(name)
            else:
                defined[source][name] = kind
    return defined, needed
