# SPDX-License-Identifier: MIT
"""The code of a binary for x86 or AArch64 as binutils see it: instructions of objdump (OBJDUMP names another one),
functions of readelf.
"""
import bisect
import os
import re
import subprocess

PREFIXES = r"(?:(?:notrack|bnd|lock|data16|cs|ds|es|fs|gs|rex\S*)\s+)*"
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t" + PREFIXES + r"(rep[nz]*\s+)?" + PREFIXES + r"(\S+)\s*(.*)$")


AARCH64_CALLS = ("bl", "blr", "blraa", "blrab", "blraaz", "blrabz")
AARCH64_JUMPS = ("b", "br", "braa", "brab", "braaz", "brabz")
AARCH64_CONDITIONAL = ("b.", "cbz", "cbnz", "tbz", "tbnz")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Instruction:
    """kind: conditional, jump, call, return, halt or other; repeats: counts its iterations, as `rep movs`."""

    def __init__(self, repeat, mnemonic, operands):
        self.is_indirect = operands.startswith("*") or mnemonic.startswith(("br", "blr"))
        self.kind = "other"
        if mnemonic.startswith("call") or mnemonic in AARCH64_CALLS:
            self.kind = "call"
        elif mnemonic.startswith("jmp") or mnemonic in AARCH64_JUMPS:
            self.kind = "jump"
        elif mnemonic.startswith(("j", "loop") + AARCH64_CONDITIONAL):
            self.kind = "conditional"
        elif mnemonic.startswith("ret"):
            self.kind = "return"
        elif mnemonic in ("hlt", "ud2", "brk", "udf"):
            self.kind = "halt"
        self.repeats = bool(repeat) and self.kind == "other"

    def is_transfer(self):
        return self.kind in ("conditional", "jump", "call")

    def goes_on(self):
        """Whether the next instruction can be reached from it without a branch."""
        return self.kind not in ("jump", "return", "halt")


class Code:
    def __init__(self, binary):
        self.at = {}
        for line in output_of(os.environ.get("OBJDUMP", "objdump"), "-d", "-w", "--no-show-raw-insn", binary).splitlines():
            found = INSTRUCTION.match(line)
            if found:
                self.at[int(found[1], 16)] = Instruction(*found.groups()[1:])
        self.addresses = sorted(self.at)
        self.next = dict(zip(self.addresses, self.addresses[1:]))

    def between(self, first, last):
        """The addresses of the instructions from first up to and with last."""
        begin = bisect.bisect_left(self.addresses, first)
        return self.addresses[begin:bisect.bisect_right(self.addresses, last)]


class Functions:
    """Functions of the symbol table. Of several at one address the first by size and name stands for all."""

    def __init__(self, binary):
        found = {}
        for line in output_of("readelf", "-sW", binary).splitlines():
            fields = line.split()
            if len(fields) < 8 or fields[3] != "FUNC" or fields[6] == "UND" or not int(fields[2], 0):
                continue
            begin, size, name = int(fields[1], 16), int(fields[2], 0), fields[7].split("@")[0]
            found.setdefault(begin, []).append((size, name))
        self.begins = sorted(found)
        self.ends = [begin + min(found[begin])[0] for begin in self.begins]
        self.names = [min(found[begin])[1] for begin in self.begins]

    def index(self, address):
        """Which function has the address, or None."""
        i = bisect.bisect_right(self.begins, address) - 1
        return i if i >= 0 and address < self.ends[i] else None
