# SPDX-License-Identifier: MIT
"""Counters of gcc's, read by themselves and not by the program under test: docs/formats/gcda.md has the
layout. Files of gcc 12 and later, of this machine's byte order."""
import collections
import glob
import os
import struct

from .store import StepFailed

FUNCTION, ARCS = 0x01000000, 0x01a10000


def _records(path, magic):
    """The version word's file as (tag, length, content), behind what comes before its records."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != magic or len(data) < 16:
        raise StepFailed("%s is no file of gcc's counters" % path)
    if data[7:8] < b"B" or data[6:8] < b"2B":
        raise StepFailed("%s is of a gcc before 12" % path)
    place = 16
    if magic == b"oncg":  # the directory, and a word
        place += 8 + struct.unpack_from("<I", data, place)[0]
    while place + 8 <= len(data):
        tag, length = struct.unpack_from("<Ii", data, place)
        place += 8
        yield tag, length, data[place:place + max(0, length)]
        place += max(0, length)


def counters(path):
    """Function's number -> (checksum of its graph, counts of its arcs)."""
    found, function = {}, None
    for tag, length, content in _records(path, b"adcg"):
        if tag == FUNCTION:
            function = struct.unpack_from("<III", content) if length else None
            if function:
                found[function[0]] = (function[2], ())
        elif tag == ARCS and function:
            counts = (0,) * (-length // 8) if length < 0 else struct.unpack("<%dq" % (length // 8), content)
            found[function[0]] = (function[2], counts)
    return found


def names(path):
    """Function's number -> its name, by the graphs of an object file (.gcno)."""
    found = {}
    for tag, _, content in _records(path, b"oncg"):
        if tag == FUNCTION:
            ident, _, _, length = struct.unpack_from("<IIII", content)
            found[ident] = content[16:16 + length].rstrip(b"\0").decode(errors="replace")
    return found


def files(directory, kind="gcda"):
    """The files of a kind below a directory, by the object's path without its suffix and with # for /, as far
    as the directory has it. gcc writes #path#of#object.gcda or path/of/object.gcda, as -o was relative or
    absolute."""
    found = {}
    for path in glob.glob(os.path.join(glob.escape(directory), "**", "*." + kind), recursive=True):
        name = os.path.relpath(path, directory).replace("/", "#").lstrip("#")
        found["#" + name[:-len(kind) - 1]] = path
    return found


def same_object(name, known):
    """The one of the known names that is of the same object file, or None."""
    fits = [other for other in known if other.endswith(name)]
    return fits[0] if len(fits) == 1 else None


def compare(real, ours):
    """Two directories of one program's counters, with shares of the whole program's: edge, the overlap of
    counts (docs/scores.md); function, that of functions' sums; of functions that ran, how many there are and
    how many ours does not have; lost, the share that each object's function lacks, the largest first."""
    known = files(real)
    own = {same_object(name, known): path for name, path in files(ours).items()}
    sides = collections.defaultdict(lambda: ((), ()))  # (object, function) -> counts of both
    absent = ran = 0
    for name, path in known.items():
        found = counters(own[name]) if name in own else {}
        for ident, (checksum, counts) in counters(path).items():
            other = found.get(ident)
            ran += any(counts)
            absent += any(counts) and other is None
            same = other and other[0] == checksum and len(other[1]) == len(counts)
            sides[name, ident] = (counts, other[1] if same else (0,) * len(counts))
    totals = [sum(sum(counts[side]) for counts in sides.values()) for side in (0, 1)]
    if not all(totals):
        raise StepFailed("%s: no counts" % (ours if totals[0] else real))
    scores = {"edge": 0, "function": 0}
    lost = {}
    for function, (first, second) in sides.items():
        shares = [sum(side) / total for side, total in zip((first, second), totals)]
        edges = sum(min(a / totals[0], b / totals[1]) for a, b in zip(first, second))
        scores["edge"] += edges
        scores["function"] += min(shares)
        lost[function] = shares[0] - edges
    worst = sorted(lost, key=lambda function: (-lost[function], function))
    return dict(scores, ran=ran, absent=absent,
                lost=[[name, ident, lost[name, ident]] for name, ident in worst[:5]])
