# SPDX-License-Identifier: MIT
"""What names.py and circles.py read: the objects that the product's rooms were built to."""
import collections
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("base", "isa", "formats", "mcf", "converter", "compare", "report", "library", "collector", "pgo", "cli")
# "FILE:0000000000000040 T name", or "FILE:                 U name"
SYMBOL = re.compile(r"^(.*):(?:[0-9a-f]+)?\s+([A-Za-z]) (\S+)$")


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
            inside = path.as_posix().rpartition(".dir/")[2]
            objects[path] = Path(room) / inside[:-len(".o")]
    # what a file left behind that was renamed is not asked
    objects = {path.as_posix(): source for path, source in objects.items() if (ROOT / source).exists()}
    if not objects:
        sys.exit(f"{build} holds no objects: build first")
    listing = subprocess.run(["nm", "--extern-only", "--print-file-name", *objects], check=True, capture_output=True,
                             text=True).stdout
    defined, needed = collections.defaultdict(dict), collections.defaultdict(set)
    for match in filter(None, map(SYMBOL.match, listing.splitlines())):
        path, kind, name = match.groups()
        if kind in "Uvw":
            needed[objects[path]].add(name)
        else:
            defined[objects[path]][name] = kind
    return defined, needed
