#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""requests.py COUNT CONNECTIONS: the lines that programs/server.c answers; always the same."""
import random
import sys

WORDS = ("the quick brown fox jumps over lazy dog while every other animal sleeps under a tree near water and "
         "nobody counts how often branches are taken").split()


def main():
    count, connections = int(sys.argv[1]), int(sys.argv[2])
    random.seed(7)
    for i in range(count):
        key = "%c%d" % (ord("a") + i % connections, random.randrange(300))
        verb = random.choices(["get", "set", "sum", "count"], [50, 25, 20, 5])[0]
        if verb == "set":
            print("set", key, *random.choices(WORDS, k=random.randint(5, 40)))
        else:
            print(verb, random.choice(WORDS) if verb == "count" else key)


if __name__ == "__main__":
    main()
