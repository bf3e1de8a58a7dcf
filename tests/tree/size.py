#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""size.py: how large the product is, by room, and that nothing in it is larger than LIMITS.

A function counts from its signature to its closing brace. A .c file of a few lines is a part of another file's thought.
"""
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("include", "base", "isa", "formats", "mcf", "converter", "compare", "report", "library", "collector", "pgo", "cli")
# folders whose sub-folders are rooms of their own
SPLIT = ("formats", "converter", "collector")
SUFFIXES = (".c", ".h", ".js", ".css", ".proto")
LIMITS = {
    "files": 751,
    "lines": 134320,
    "c_file_least": 25,
    "file_most": 800,
    "function_most": 80,
}
NAME = re.compile(r"(\w+)\(")


@dataclass
class Room:
    files: int = 0
    lines: int = 0
    # (length, "file: name")
    functions: list = field(default_factory=list)

    def __iadd__(self, other):
        self.files += other.files
        self.lines += other.lines
        self.functions += other.functions
        return self

    def __str__(self):
        lengths = [length for length, _ in self.functions]
        mean = sum(lengths) / len(lengths) if lengths else 0
        return (f"{self.files:5d} {self.lines:7d} {self.lines / self.files:6.0f} {len(lengths):9d} {mean:5.1f} "
                f"{max(lengths, default=0):7d}")


def read_functions(lines):
    """[(length, name), ...]: in this style a body begins and ends with a brace of its own at the line's start."""
    functions, begin, body = [], 0, None
    for number, line in enumerate(lines):
        if line == "{":
            name = next(filter(None, map(NAME.search, lines[begin:number])), None)
            body = begin if name else None
        elif line == "}" and body is not None:
            functions.append((number - body + 1, name.group(1)))
            body = None
        if not line or line.startswith(("#", "}")) or line.endswith((";", "*/")):
            begin = number + 1
    return functions


def room_of(path):
    parts = path.parts[:-1]
    return "/".join(parts[:2] if parts[0] in SPLIT else parts[:1])


def main():
    rooms, small, large = {}, [], []
    for path in sorted(path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*")
                       if path.suffix in SUFFIXES):
        lines = (ROOT / path).read_text().splitlines()
        functions = read_functions(lines) if path.suffix in (".c", ".h") else []
        rooms.setdefault(room_of(path), Room())
        rooms[room_of(path)] += Room(1, len(lines), [(length, f"{path}: {name}") for length, name in functions])
        if path.suffix == ".c" and len(lines) < LIMITS["c_file_least"]:
            small.append(f"{path} has {len(lines)} lines")
        if len(lines) > LIMITS["file_most"]:
            large.append(f"{path} has {len(lines)} lines")
    product = Room()
    print("files   lines a file functions  mean longest")
    for name, room in rooms.items():
        print(room, name)
        product += room
    print(product, "product")

    faults = small + large
    faults += [f"{name} has {length} lines" for length, name in sorted(product.functions, reverse=True)
               if length > LIMITS["function_most"]]
    if product.files > LIMITS["files"] or product.lines > LIMITS["lines"]:
        faults.append(f"the product has {product.files} files of {LIMITS['files']}, {product.lines} lines of "
                      f"{LIMITS['lines']}")
    if len(product.functions) < 3000:
        faults.append(f"only {len(product.functions)} functions were found")
    print("\n".join(faults) or "nothing is larger than its limit")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
