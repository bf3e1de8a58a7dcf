#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""type_in_shell.py SHELL SETUP LINE...: type each LINE and a tab into an interactive bash or zsh that ran SETUP, and
print what the line became."""
import os
import pty
import select
import sys
import time

COMMANDS = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}
START_OF_LINE = "\x01"
SECONDS = 60


def read_until(terminal, text):
    seen, end = "", time.monotonic() + SECONDS
    while text not in seen:
        if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
            sys.exit("no %r within %d s, but: %s" % (text, SECONDS, seen))
        seen += os.read(terminal, 4096).decode(errors="replace")
    return seen


def main():
    shell, setup, lines = sys.argv[1], sys.argv[2], sys.argv[3:]
    child, terminal = pty.fork()
    if not child:
        os.environ.update(TERM="dumb", HISTFILE="/dev/null")
        os.execvp(shell, COMMANDS[shell])
    ready = "r=READY; echo IS-$r\n"
    os.write(terminal, (setup + "\n" + ready).encode())
    read_until(terminal, "IS-READY")
    for line in lines:
        # What the line became is executed as the arguments of a command that prints them.
        command = "b=BECAME e=END; printf '%s[%s]%s\\n' \"$b\" '"
        os.write(terminal, (line + "\t" + START_OF_LINE + command + "\x05' \"$e\"\n").encode())
        text = read_until(terminal, "]END")
        print(text[text.rindex("BECAME[") + len("BECAME["):text.rindex("]END")])
    os.write(terminal, b"exit\n")
    os.close(terminal)
    os.waitpid(child, 0)


main()
