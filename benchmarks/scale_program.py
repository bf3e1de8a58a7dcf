#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the assembly text of a program of many functions of ordinary size: scale_program.py FUNCTIONS

Blocks per function are log-normal (half of the functions below 8, the mean about 11, one in a thousand above
100), of two to five instructions; blocks end with jumps forwards and backwards, calls and falling through. It
is there to be decoded and walked through by chance (walk.c), not to be run. The same text each time.
"""
import math
import random
import sys

chance = random.Random(1)
functions = int(sys.argv[1])
PLAIN = ("mov %rdi, %rax", "add $1, %eax", "lea 8(%rax,%rdi,4), %rdx", "test %eax, %eax",
         "mov 16(%rdi), %rcx", "xor %esi, %edx", "cmp $7, %ecx")


def end_of(block, blocks):
    kind = chance.random()
    ahead = ".L%d_%d"
    later = chance.randrange(block + 1, min(blocks, block + 6))
    if kind < 0.5:
        return "jne " + ahead % (number, later)
    if kind < 0.62:
        return "jl " + ahead % (number, chance.randrange(max(0, block - 4), block + 1))
    if kind < 0.7:
        return "jne %s\n\tjmp %s" % (ahead % (number, block + 1), ahead % (number, later))
    if kind < 0.85:
        return "call f%d" % chance.randrange(functions)
    return "nop"


out = ["\t.text\n\t.globl _start\n_start:\tcall f0\n\thlt\n"]
for number in range(functions):
    blocks = 1 + min(2000, int(6.3 * math.exp(chance.gauss(0, 0.95))))
    out.append("\t.type f%d, @function\nf%d:\n" % (number, number))
    for block in range(blocks):
        out.append(".L%d_%d:\n" % (number, block))
        for _ in range(chance.randrange(1, 5)):
            out.append("\t%s\n" % chance.choice(PLAIN))
        out.append("\t%s\n" % (end_of(block, blocks) if block + 1 < blocks else "ret"))
    out.append("\t.size f%d, . - f%d\n" % (number, number))
sys.stdout.write("".join(out))
