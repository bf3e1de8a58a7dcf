#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""circles.py BUILD_DIRECTORY: nothing goes round. No headers include one another in a circle, however long, and
no two files call each other, nor use each other's variables. Calls through a struct of operations go one way.
"""
import re
import sys

import objects

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def read_includes():
    """{file: [the files of the tree that it includes]}"""
    files = {path.as_posix(): path for suffix in (".c", ".h") for path in objects.sources(suffix)}
    return {name: [target for target in INCLUDE.findall((objects.ROOT / path).read_text()) if target in files]
            for name, path in files.items()}


def find_circle(arrows):
    """The nodes of a circle, the first one again at its end; or None."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for target in arrows.get(node, ()):
            circle = visit(target)
            if circle:
                return circle
        done.add(path.pop())
        return None

    for node in sorted(arrows):
        circle = visit(node)
        if circle:
            return circle
    return None


# libc's, which the program has its own of (cli/allocations.c): whoever allocates does not call a file of ours
REPLACED = {"malloc", "calloc", "realloc"}


def mutual(defined, needed):
    """Two files that need each other, with one name each: [(file, name, file, name), ...], and how many need others."""
    found, count = [], 0
    for a in sorted(defined):
        for b in sorted(defined):
            there = (needed[a] & set(defined[b])) - REPLACED
            count += a != b and bool(there)
            back = (needed[b] & set(defined[a])) - REPLACED
            if a < b and there and back:
                found.append((a, min(there), b, min(back)))
    return found, count


def main():
    includes = read_includes()
    circle = find_circle(includes)
    pairs, arrows = mutual(*objects.read(sys.argv[1]))
    if circle:
        print("includes: " + " -> ".join(circle))
    for a, there, b, back in pairs:
        print(f"{a} needs {there} of {b}, which needs {back} of {a}")
    if arrows < 500:
        sys.exit(f"{sys.argv[1]} holds {arrows} calls between files only: build all first")
    if circle or pairs:
        sys.exit(1)
    print(f"{sum(map(len, includes.values()))} includes of {len(includes)} files, {arrows} pairs of files with calls: "
          "no circle")


if __name__ == "__main__":
    main()
