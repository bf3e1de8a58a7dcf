#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes C source whose counters are much work: counters_program.py KIND NUMBER

many NUMBER     one of many objects: NUMBER functions of ordinary size, which call one another. All names end in
                "q0000", for other numbers to be put in its place. Some functions are static and have the same
                names everywhere
large NUMBER    one function of NUMBER statements, each behind a jump of its own
line NUMBER     the same, all of one line, that of a macro: nothing but columns tells its statements apart
header NUMBER   NUMBER small inline functions, and q0000_all, which calls all of them

The same text each time.
"""
import random
import sys

chance = random.Random(1)
kind, number = sys.argv[1], int(sys.argv[2])
print("extern volatile int data[], other[];")


def statement(depth):
    at = chance.randrange(1000)
    what = chance.random()
    if depth < 2 and what < 0.1:
        return "for (int i%d = 0; i%d < data[%d]; i%d++) {\n%s}\n" % (
            depth, depth, at, depth, body(depth + 1))
    if depth < 3 and what < 0.4:
        return "if (data[%d] > a) {\n%s} else {\n%s}\n" % (at, body(depth + 1), body(depth + 1))
    if what < 0.6:
        return "a += q0000_%d(a, other[%d]);\n" % (chance.randrange(number), at)
    if what < 0.7:
        return "a += same_%d(a);\n" % chance.randrange(10)
    return "data[%d] = a %s other[%d];\na += b;\n" % (at, chance.choice("+-*^"), chance.randrange(1000))


def body(depth):
    return "".join(statement(depth) for _ in range(chance.randrange(1, 4)))


def many():
    for i in range(number):
        print("int q0000_%d(int a, int b);" % i)
    for i in range(10):
        print("static __attribute__((noinline)) int same_%d(int a)\n{\nif (a & %d)\na += data[a & 7];\n"
              "return a * %d;\n}" % (i, 1 << i, i + 3))
    for i in range(number):
        print("int q0000_%d(int a, int b)\n{\n%sreturn a;\n}" % (i, body(0)))


def large(end):
    print("void q0000_0(int a)\n{")
    for i in range(number):
        sys.stdout.write("if (a > data[%d])%sother[%d] += a;%s" % (i, end, i % 1000, end))
    print("}")


def header():
    for i in range(number):
        print("static inline int small_%d(int a)\n{\nfor (int i = 0; i < data[%d]; i++) {\nif (data[i] > a)\n"
              "a += other[%d];\nelse\nother[%d] = a;\n}\nreturn a ^ %d;\n}" % (i, i, i, i, i))
    print("int q0000_all(int a)\n{")
    for i in range(number):
        print("a = small_%d(a);" % i)
    print("return a;\n}")


{"many": many, "large": lambda: large("\n"), "line": lambda: large(" "), "header": header}[kind]()
