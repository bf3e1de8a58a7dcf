#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""short.py SOFTLBR [--runs=N] [--programs=NAME,...]: what recording adds to builds and test suites, whose programs run
for some ten milliseconds each. Each program is run N times in four ways in turns (forwards and then backwards, so that
a machine that grows slower favours none):

  plain    without softlbr
  loaded   with the collector's library preloaded, and no session
  joined   under `softlbr record` with a period that never ends: what each process pays before its first sample
  whole    under `softlbr record`

A way is one process that starts the programs, so that there are two recordings of N programs each. Prints, per run of
the program, the processor time with the recorder's, the time, and the recorder's own processor time in ms (without what
it takes while other ways have their turns: its rate when nothing runs); and what is added to plain's processor time in
percent: the mean of the turns, without the fiftieth that differs most at either end, and twice its standard error.
--turns=FILE writes the processor time of each run."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

WAYS = ("plain", "loaded", "joined", "whole")
FUNCTION = "int f%d(int a, int *p) { for (int i = 0; i < a; i++) p[i %% 7] += i ^ %d; return a > 9 ? p[a %% 5] : a; }\n"
INCLUDES = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


def c_file(functions):
    return INCLUDES + "".join(FUNCTION % (i, i * 7) for i in range(functions)) + "int main(void) { return 0; }\n"


def sql(rows):
    return ("create table t(a integer primary key, b text, c integer); with recursive n(i) as (select 1 union all "
            "select i+1 from n where i < %d) insert into t select i, hex(i * 7919), i * 31 %% 97 from n; create index x "
            "on t(c); select c, count(*), max(b) from t group by c order by 2, 1 limit 5;\n" % rows)


GAWK = '{ n[$1 % 97]++; s = s substr($0, 1, 1) } END { for (i in n) t += n[i]; print t, length(s) }'
LUA = ('local t = {} for i = 1, 60000 do t[i] = (i * 7919) % 1009 end table.sort(t) local s = 0 '
       'for i = 1, #t, 7 do s = s + t[i] end print(s, #table.concat(t, ","))')


def inputs():
    """Of name: the shell's command, in a directory with these files."""
    with open("small.c", "w") as f:
        f.write(c_file(200))
    with open("large.c", "w") as f:
        f.write(c_file(4000))
    with open("rows.sql", "w") as f:
        f.write(sql(15000))
    with open("lines", "w") as f:
        f.writelines("%d line of %d\n" % (i * 7919 % 10007, i) for i in range(40000))
    with open("sort.lua", "w") as f:
        f.write(LUA)
    cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True).stdout.strip()
    return {
        "cc1": ([cc1, "-quiet", "-fsyntax-only", "small.c"], os.devnull),
        "gawk": (["gawk", GAWK, "lines"], os.devnull),
        "lua": (["lua", "sort.lua"], os.devnull),
        "sqlite3": (["sqlite3", ":memory:"], "rows.sql"),
        "tcc": (["tcc", "-c", "-o", "large.o", "large.c"], os.devnull),
        "true": (["/bin/true"], os.devnull),
    }


def run_command(command, stdin):
    """Its processor time and time, in seconds."""
    files = [(os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    begin = time.monotonic()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=files)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit("%s: status %d" % (command[0], status))
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begin


def parent_seconds():
    return int(open("/proc/%d/schedstat" % os.getppid()).read().split()[0]) / 1e9


def serve(command, stdin):
    """Run the command for each line; the parent is the recorder, if there is one. At the end, what it took for the runs
    alone."""
    before, begin, running = parent_seconds(), time.monotonic(), 0
    for _ in sys.stdin:
        cpu, seconds = run_command(command, stdin)
        running += seconds
        print(cpu, seconds, flush=True)
    time.sleep(0.5)
    idle, idle_begin = parent_seconds(), time.monotonic()
    time.sleep(1)
    rate = (parent_seconds() - idle) / (time.monotonic() - idle_begin)
    print(idle - before - rate * (idle_begin - begin - running))


class Way:
    def __init__(self, way, softlbr, command, stdin):
        environment = dict(os.environ)
        arguments = [sys.executable, os.path.abspath(__file__), "--serve", stdin, *command]
        if way == "loaded":
            environment["LD_PRELOAD"] = os.path.join(os.path.dirname(softlbr), "libsoftlbr-collector.so")
        if way == "joined":
            arguments = [softlbr, "record", "-o", "joined.data", "-c", "1000s", "--depth=2048", "--"] + arguments
        if way == "whole":
            arguments = [softlbr, "record", "-o", "whole.data", "--"] + arguments
        self.recorded = way in ("joined", "whole")
        self.log = open(way + ".log", "w")
        self.process = subprocess.Popen(arguments, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, text=True)
        self.cpu, self.time, self.recorder = [], [], 0

    def run(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        cpu, seconds = map(float, self.process.stdout.readline().split())
        self.cpu.append(cpu)
        self.time.append(seconds)

    def end(self):
        self.process.stdin.close()
        self.recorder = float(self.process.stdout.read()) if self.recorded else 0
        if self.process.wait():
            sys.exit("status %d: see %s" % (self.process.returncode, self.log.name))
        self.log.close()


def trimmed(values):
    """Mean and twice its standard error."""
    kept = sorted(values)[len(values) // 50:len(values) - len(values) // 50]
    return statistics.mean(kept), 2 * statistics.stdev(values) / len(values) ** 0.5


def measure(name, softlbr, command, stdin, runs):
    ways = {way: Way(way, softlbr, command, stdin) for way in WAYS}
    for _ in range(runs // 2):
        for way in WAYS + WAYS[::-1]:
            ways[way].run()
    for way in ways.values():
        way.end()
    plain = ways["plain"].cpu
    for name_of_way, way in ways.items():
        share = way.recorder / len(way.cpu)
        pairs = zip(way.cpu, plain)
        added, error = trimmed([100 * (a + share - b) / statistics.mean(plain) for a, b in pairs])
        print("%-8s %-7s %8.3f %8.3f %8.3f   %5.1f +- %.1f" % (
            name, name_of_way, trimmed(way.cpu)[0] * 1e3 + share * 1e3, trimmed(way.time)[0] * 1e3, share * 1e3, added, error))
    sys.stdout.flush()
    return {way: w.cpu for way, w in ways.items()}


def main():
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[3:], sys.argv[2])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("softlbr")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--programs", default="cc1,gawk,lua,sqlite3,tcc,true")
    parser.add_argument("--turns")
    arguments = parser.parse_args()
    softlbr, turns = os.path.realpath(arguments.softlbr), {}
    out = arguments.turns and os.path.abspath(arguments.turns)
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        commands = inputs()
        print("%-8s %-7s %8s %8s %8s   %s" % ("program", "way", "CPU ms", "ms", "recorder", "CPU added, %"))
        for name in arguments.programs.split(","):
            if subprocess.run(["sh", "-c", "command -v " + commands[name][0][0]], capture_output=True).returncode:
                print("%-8s is not installed" % name)
            else:
                turns[name] = measure(name, softlbr, *commands[name], arguments.runs)
        os.chdir("/")
    if out:
        with open(out, "w") as f:
            json.dump(turns, f)


if __name__ == "__main__":
    main()
