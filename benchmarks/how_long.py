#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long to record: the edge overlap of default recordings with exact counts, by CPU seconds recorded.

  how_long.py SOFTLBR [--runs 1,3,10] [--work DIRECTORY] [PROGRAM...]

Each program does the same work again and again (about two seconds of it); 1, 3, 10 recordings of it by
`softlbr record` without options are converted together and compared with callgrind's counts of that work.
Programs are Debian's, as installed; what is not there is left out with a note. The table is docs/how-long.md's.
"""
import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# name: (the file whose branches are compared: the program or a library, the command, standard input)
PROGRAMS = {
    "gzip": ("gzip", ["gzip", "-6", "-c", "{text}"]),
    "xz": ("liblzma.so.5", ["xz", "-3", "-c", "{text}"]),
    "bzip2": ("libbz2.so.1.0", ["bzip2", "-c", "{text}"]),
    "sqlite3": ("libsqlite3.so.0", ["sqlite3", ":memory:", ".read {sql}"]),
    "lua5.4": ("lua5.4", ["lua5.4", "{lua}"]),
    "perl": ("perl", ["perl", "-ne", "$h{$_}++ for split /\\W+/; END {print scalar keys %h}", "{text}"]),
    "python3": ("/usr/bin/python3", ["/usr/bin/python3", "-c", "import ast; print(len(ast.dump(ast.parse(open('{py}').read()))))"]),
    "cc1": ("cc1", ["{cc1}", "-quiet", "-O2", "{c}", "-o", "/dev/null"]),
}


def fail(text):
    sys.exit("how_long: " + text)


def library(name):
    """Where the loader finds a library."""
    for line in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout.splitlines():
        if line.split()[:1] == [name] and "x86-64" in line:
            return os.path.realpath(line.split()[-1])
    return None


def inputs(directory):
    """The files that commands name in braces."""
    found = {name: os.path.join(directory, "input." + name) for name in ("text", "sql", "lua", "py", "c")}
    sources = sorted(os.path.join(folder, file) for folder, _, files in os.walk(os.path.join(ROOT, "converter"))
                     for file in files if file.endswith(".c"))
    text = "".join(open(source).read() for source in sources)
    open(found["text"], "w").write(text * 80)
    open(found["py"], "w").write("".join("def f%d(a, b):\n    return [a + i * b for i in range(%d)]\n" % (i, i)
                                         for i in range(12000)))
    open(found["lua"], "w").write(
        "local t = {}\nfor i = 1, 9000000 do t[i % 5003] = (t[i % 5003] or '') .. i % 7 end\n"
        "local n = 0\nfor k, v in pairs(t) do n = n + #v:gsub('3', '') end\nprint(n)\n")
    sql = os.path.join(ROOT, "examples/sqlite/training.sh")
    open(found["sql"], "w").write(subprocess.run([sql, "20000", "20"], capture_output=True, text=True).stdout)
    open(found["c"], "w").write("".join(
        "int f%d(int *a, int n)\n{\n\tint sum = 0;\n\tfor (int i = 0; i < n; i++)\n"
        "\t\tif (a[i] %% %d)\n\t\t\tsum += a[i] * i;\n\t\telse\n\t\t\ta[i] = sum / (i + %d);\n\treturn sum;\n}\n"
        % (i, i % 13 + 2, i % 7 + 1) for i in range(1500)))
    found["cc1"] = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True).stdout.strip()
    return found


def find(name, files):
    if name == "cc1":
        return files["cc1"] if os.path.exists(files["cc1"]) else None
    if ".so" in name:
        return library(name)
    path = shutil.which(name)
    return os.path.realpath(path) if path else None


def run(command, **how):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **how)
    if done.returncode not in (0, 5):
        fail("%s: status %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()[-300:]))


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def score(softlbr, binary, profile, exact):
    done = subprocess.run([softlbr, "diff", "--binary", binary, "--json", "--no-confidence", profile, exact],
                          capture_output=True, text=True)
    if done.returncode:
        fail("diff: " + done.stderr.strip())
    return json.loads(done.stdout)["scores"]["edge"] * 100


def rows(softlbr, name, files, runs, directory):
    wanted, command = PROGRAMS[name]
    binary = find(wanted, files)
    if not binary or not (shutil.which(command[0]) or os.path.exists(command[0].format(**files))):
        print("%s is not installed: left out" % name, file=sys.stderr)
        return None
    command = [word.format(**files) if "{" in word and "%h" not in word else word for word in command]
    exact = os.path.join(directory, name + ".callgrind")
    run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--collect-jumps=yes", "--skip-plt=no",
         "--callgrind-out-file=" + exact] + command)
    seconds = cpu_seconds(command)
    scores = []
    for count in runs:
        recordings = [os.path.join(directory, "%s.%d.data" % (name, i)) for i in range(count)]
        for recording in recordings:
            if not os.path.exists(recording):
                run([softlbr, "record", "-o", recording, "--"] + command)
        profile = os.path.join(directory, "%s.%d.preagg" % (name, count))
        run([softlbr, "convert", "--binary", binary, "--to", "preagg=" + profile] +
            [word for recording in recordings for word in ("-p", recording)])
        scores.append(score(softlbr, binary, profile, exact))
    return seconds, scores


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("softlbr")
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS))
    parser.add_argument("--runs", default="1,3,10")
    parser.add_argument("--work", help="keep recordings here, and use what is there")
    options = parser.parse_args()
    runs = [int(text) for text in options.runs.split(",")]
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.work or temporary
        os.makedirs(directory, exist_ok=True)
        files = inputs(directory)
        print("| program | CPU s of a run | %s |" % " | ".join("%d run%s" % (n, "s" if n > 1 else "") for n in runs))
        print("| --- | ---: |" + " ---: |" * len(runs))
        for name in options.programs:
            row = rows(options.softlbr, name, files, runs, directory)
            if row:
                print("| %s | %.1f | %s |" % (name, row[0], " | ".join("%.1f" % s for s in row[1])), flush=True)


main()
