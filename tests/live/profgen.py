#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""profgen.py [--times N] THEIRS OURS: how our profile differs from llvm-profgen's, LLVM's text both. What these say is
known and counted; anything else is printed, with status 1. --times: our counts are so many times theirs, and
then nothing may differ but heads that are 1 for 0.

  line 0   code of no line, and what was inlined there: llvm-profgen puts it at 0 less the function's line, modulo
           65536; ours leaves it out
  head     of a function that ran ours is never 0 (docs/attribution.md, "Calls and heads")
  entered  by the newest branch of a stack, after which nothing was seen: a head without a body, which clang takes
           for a function without a profile; ours leaves it out
  raised   llvm-profgen raises a line's count to the sum of its calls; ours says how often it was seen to run
  oldest   no range leads to the oldest branch of a stack: where that is a call, and nothing else covers its line,
           ours counts the calls, llvm-profgen nothing (docs/attribution.md)
  alone    of a function nothing was seen but calls that are the oldest branches of their stacks: llvm-profgen has it
           with these calls and without samples; ours leaves it out
"""
import collections
import re
import sys

from profile_lines import load


def parts(line):
    """(count, {callee: calls})"""
    count, *targets = line.split()
    return int(count), {name: int(n) for name, n in (target.rsplit(":", 1) for target in targets)}


def function_of(key):
    return key.split(" ")[0]


def has_calls_only(theirs, function):
    """Of all that they have of the function; its head is 0 then."""
    lines = {key: line for key, line in theirs.items() if function_of(key) == function}
    head = lines.pop(function + " head", None)
    return head == "0" and all(count == sum(calls.values()) for count, calls in map(parts, lines.values()))


def reason(key, theirs, ours, with_body, alone):
    """@with_body: the functions that have lines there; @alone: of which they have calls only, and we have nothing."""
    name, position = key.rsplit(" ", 1)
    if function_of(key) in alone:
        return "alone"
    if position == "head":
        if ours is None:
            return None if name in with_body else "entered"
        return "head" if theirs == "0" else None
    if ours is None:
        return "line 0" if re.search(r" 6\d{4}(\.\d+)?(:|$)", key) else None
    if theirs is None:
        return None
    (their_count, their_calls), (our_count, our_calls) = parts(theirs), parts(ours)
    if their_calls == our_calls and our_count < their_count == sum(their_calls.values()):
        return "raised"
    if their_calls == our_calls and their_count == 0 and our_count == sum(our_calls.values()):
        return "oldest"
    return None


def main():
    times = 1
    if sys.argv[1] == "--times":
        times = int(sys.argv[2])
        del sys.argv[1:3]
    theirs, ours = load(sys.argv[1]), load(sys.argv[2])
    if times > 1:
        theirs = {key: re.sub(r"(?<![\w.])\d+(?= |$)|(?<=:)\d+", lambda n: str(int(n[0]) * times), line)
                  for key, line in theirs.items()}
    with_body = {function_of(key) for key in theirs if not key.endswith(" head")}
    alone = with_body - {function_of(key) for key in ours}
    alone = {function for function in alone if has_calls_only(theirs, function)}
    found, unknown = collections.Counter(), 0
    for key in sorted(theirs.keys() | ours.keys()):
        pair = theirs.get(key), ours.get(key)
        if pair[0] == pair[1]:
            continue
        why = reason(key, *pair, with_body, alone)
        if times > 1 and key.endswith(" head") and pair[1] == "1":
            why = "head"
        if why and (times == 1 or why == "head"):
            found[why] += 1
        else:
            unknown += 1
            print("%s: %s -> %s" % (key, *pair))
    print("%d lines there, %d here; %s" % (len(theirs), len(ours), ", ".join("%s: %d" % f for f in sorted(found.items()))))
    sys.exit(1 if unknown or len(ours) < 100 else 0)


main()
