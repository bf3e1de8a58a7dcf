#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""projects.py SOFTLBR [--projects LIST] [--root DIR] [--sources DIR] [--json FILE]: softlbr pgo on real projects, each by
one command.

Six projects of Debian's sources, with CMake, autotools, make and Meson, and PostgreSQL's server as a service. Each is
unpacked anew, and trained by other inputs than it is measured by; both are generated. Needs what building them needs:
scripts/install-deps.sh --projects. As PostgreSQL does not run as root, root gives its tree to the user nobody.
"""
import argparse
import json
import os
import pwd
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import section

FETCH = Path(__file__).resolve().parents[1] / "scripts/fetch-source.sh"
MEASURED = re.compile(r"^# measure    (.*): CPU time ([+-][\d.]+) \+- ([\d.]+) % of ([\d.]+) (m?s)"
                      r"(?:, instructions ([+-][\d.]+) (?:\+- [\d.]+ )?%)?")
COLUMNS = ["project", "run", "", "CPU ms", "CPU time, %", "+-", "instructions, %"]
TEXT = ("`softlbr pgo` from a clean source tree to a faster build, by one command for each project: training by `--run`, "
        "measured there and by `--test-run`, on other inputs and other work. Against the same build without a profile, by "
        "gcc %s; below 0 is faster. The time's interval is of 95 %%. Instructions are callgrind's, those of libraries included.")
WORDS = ("red", "green", "blue", "amber", "violet", "ochre", "teal", "grey")


# ---- inputs --------------------------------------------------------------------------------------

def sql(seed, rows, training):
    """A table with an index, and queries: of each kind others."""
    r = random.Random(seed)
    yield "CREATE TABLE t(a INTEGER PRIMARY KEY,b TEXT,c REAL,d INT);CREATE INDEX tb ON t(b);CREATE TABLE u(x INT,y TEXT);BEGIN;"
    for i in range(rows):
        yield "INSERT INTO t VALUES(%d,'%s%d',%f,%d);" % (i, r.choice(WORDS), r.randrange(rows), 100 * r.random(), r.randrange(1000))
        if i % 3 == 0:
            yield "INSERT INTO u VALUES(%d,'%s');" % (r.randrange(rows), r.choice(WORDS))
    yield "COMMIT;"
    if training:
        yield "SELECT b,count(*),sum(c) FROM t WHERE d<500 GROUP BY substr(b,1,4) ORDER BY 3 DESC LIMIT 5;"
        yield "CREATE INDEX ux ON u(x);SELECT count(*),max(y) FROM t JOIN u ON t.a=u.x WHERE c>20;"
        yield "UPDATE t SET c=c*1.1 WHERE d%7=0;DELETE FROM t WHERE d BETWEEN 100 AND 130;"
        yield "WITH RECURSIVE f(n,s) AS (SELECT 1,0 UNION ALL SELECT n+1,s+n*n FROM f WHERE n<60000) SELECT max(s) FROM f;"
        yield "SELECT b,length(b)||upper(b) FROM t WHERE b LIKE 'a%9%' ORDER BY c LIMIT 20;"
        yield from ("SELECT c FROM t WHERE a=%d;" % r.randrange(rows) for _ in range(rows // 4))
        return
    yield "SELECT d,avg(c),group_concat(substr(b,1,1)) FROM t GROUP BY d ORDER BY 2 LIMIT 7;"
    yield "SELECT y,count(DISTINCT x) FROM u GROUP BY y;SELECT sum(c) FROM t WHERE b>'green' AND b<'red5';"
    yield "SELECT a,row_number() OVER (PARTITION BY d ORDER BY c) r FROM t ORDER BY r DESC,a LIMIT 9;"
    yield "UPDATE u SET y=y||'-'||x WHERE x>50;SELECT count(*) FROM t a, t b WHERE a.d=b.d AND a.c<b.c;"
    yield from ("SELECT b,d FROM t WHERE b='%s%d';" % (r.choice(WORDS), r.randrange(rows)) for _ in range(rows // 5))


def objects(seed, count):
    """JSON of one line."""
    r = random.Random(seed)
    yield json.dumps([{"id": i, "name": r.choice(WORDS) + str(r.randrange(1000)), "price": round(1000 * r.random(), 2),
                       "tags": r.sample(WORDS, r.randrange(1, 5)), "ok": r.random() < .5,
                       "nested": {"a": r.randrange(100), "b": [r.randrange(10) for _ in range(r.randrange(6))],
                                  "c": None if r.random() < .1 else "x\u00e9\n" * r.randrange(4)}} for i in range(count)])


def manifest(seed, folders):
    """A build of ninja's: so many libraries, of 12 objects each."""
    r = random.Random(seed)
    yield "rule cc\n  command = gcc $flags -c $in -o $out\n  description = CC $out\nrule ar\n  command = ar qc $out $in"
    for d in range(folders):
        for i in range(12):
            yield ("build obj/%d/%d.o: cc src/%d/%d.c | gen/h%d.h || order%d\n  flags = -O2 -Iinc%d $extra -DX=%d"
                   % (d, i, d, i, r.randrange(d + 1), d, d, r.randrange(99)))
        yield "build gen/h%d.h order%d: cc gen/in%d.txt" % (d, d, d)
        yield "build lib%d.a: ar %s" % (d, " ".join("obj/%d/%d.o" % (d, i) for i in range(12)))
    yield "build all: phony %s\ndefault all" % " ".join("lib%d.a" % d for d in range(folders))


def text(seed, lines, shares):
    """Words of Hebrew, Arabic and Latin letters, in these shares."""
    r = random.Random(seed)
    alphabets = [[chr(c) for c in range(*codes)] for codes in ((0x5d0, 0x5eb), (0x627, 0x64b), (97, 123))]
    for _ in range(lines):
        words = []
        for _ in range(r.randrange(4, 14)):
            word = "".join(r.choices(r.choices(alphabets, shares)[0], k=r.randrange(2, 9)))
            word = str(r.randrange(100000)) if r.random() < .1 else word
            words.append("(%s)" % word if r.random() < .05 else word + r.choice(",.!    "))
        yield " ".join(words)


def queries(seed, count):
    """Of pgbench's tables."""
    r = random.Random(seed)
    for _ in range(count):
        yield "SELECT abalance FROM pgbench_accounts WHERE aid = %d;" % r.randrange(1, 200001)
        if r.random() < .02:
            a = r.randrange(1, 190001)
            yield "SELECT bid, count(*), sum(abalance) FROM pgbench_accounts WHERE aid BETWEEN %d AND %d GROUP BY bid;" % (a, a + 500)


# ---- projects ------------------------------------------------------------------------------------

@dataclass
class Project:
    packages: list  # the first that can be had
    build: str
    runs: list
    tests: list
    inputs: dict = field(default_factory=dict)  # names -> lines
    filter: str = ""
    service: bool = False

    def begin(self, directory, sources):
        """A clean tree, with its inputs; False: its source can't be had."""
        if not any(copy(sources, package, directory) or fetch(package, directory) for package in self.packages):
            return False
        for name, lines in self.inputs.items():
            (directory / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return True


def copy(sources, package, directory):
    if not sources or not (sources / package).exists():
        return False
    shutil.copytree(sources / package, directory, symlinks=True)
    return True


def fetch(package, directory):
    done = subprocess.run([FETCH, package, directory], capture_output=True, text=True, check=False)
    if done.returncode:
        print("projects.py: %s" % (done.stderr.strip() or package), file=sys.stderr)
    return not done.returncode


JQ = ["""./jq -c 'map(select(.ok)) | group_by(.name) | map({n: .[0].name, s: (map(.price)|add)})' %s""",
      """./jq '[.[] | .tags[]] | unique' %s""",
      """./jq -r '.[] | [.id,.name,.price] | @csv' %s"""]
JQ_OTHER = ["""./jq . test.json""",
            """./jq -c '[paths(scalars)] | length' test.json""",
            """./jq '.[] | {id, b: (.nested.b | length), t: (.tags | join("-") | ascii_upcase | test("A.*B"))}' test.json"""]
JQ_BUILD = "autoreconf -fi && ./configure --disable-docs --disable-maintainer-mode && make -j2"

NARROW = "jq, one filter"
PROJECTS = {
    "leveldb (CMake)": Project(
        ["leveldb"], "cmake -B pgo -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_STANDARD=14 -DLEVELDB_BUILD_TESTS=OFF && "
        "cmake --build pgo -j2",
        ["pgo/db_bench --db=train.db --num=30000 "
         "--benchmarks=fillseq,fillrandom,overwrite,readrandom,readseq,readreverse,readmissing,seekrandom"],
        ["pgo/db_bench --db=test.db --num=12000 --value_size=250 --benchmarks=fillrandom,deleterandom,readhot,compact,seekordered"],
        filter="sed 's/:.*//; /^Date/d'"),
    "jq (autotools)": Project(
        ["jq"], JQ_BUILD, [run % "train.json" for run in JQ], JQ_OTHER,
        {"train.json": objects(1, 6000), "test.json": objects(2, 1500)}),
    NARROW: Project(
        ["jq"], JQ_BUILD, [JQ[0] % "train.json"], JQ_OTHER, {"train.json": objects(1, 6000), "test.json": objects(2, 1500)}),
    "ninja (CMake)": Project(
        ["ninja-build"], "cmake -B pgo -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_TESTING=OFF && cmake --build pgo -j2",
        ["pgo/ninja -f train.ninja -t targets all", "pgo/ninja -f train.ninja -t commands all"],
        ["pgo/ninja -f test.ninja -t compdb", "pgo/ninja -f test.ninja -t query all"],
        {"train.ninja": manifest(1, 1000), "test.ninja": manifest(2, 400)}),
    "sqlite3 (make)": Project(
        ["sqlite3"], "autoreconf -fi; ./configure --enable-fts5 --disable-tcl CFLAGS=-O2 && make -j2 sqlite3",
        ["./sqlite3 :memory: < train.sql"], ["./sqlite3 :memory: < test.sql"],
        {"train.sql": sql(1, 20000, True), "test.sql": sql(2, 9000, False)}),
    "fribidi (Meson)": Project(
        ["fribidi"], "meson setup pgo --buildtype=debugoptimized -Ddocs=false; ninja -C pgo",
        ["pgo/bin/fribidi --nopad train.txt"], ["pgo/bin/fribidi --nopad test.txt"],
        {"train.txt": text(1, 12000, (35, 35, 30)), "test.txt": text(2, 6000, (15, 30, 55))}),
    "PostgreSQL (a service)": Project(
        ["postgresql-18", "postgresql-17", "postgresql-15"],
        "./configure --without-readline --without-zlib --without-icu CFLAGS=-O2 --prefix=$PWD/pgsql && "
        # Debian's patches install elsewhere if the prefix has another name; and where objects are missing, but not
        # what lists them, it links too early
        "make -s clean && make -s -j2 install",
        [], ["pgsql/bin/postgres --single -D test postgres < test.sql"], {"test.sql": queries(3, 3000)}, service=True),
}


# ---- a service -----------------------------------------------------------------------------------

class Server:
    """PostgreSQL's, of the build at hand, under pgbench -S; another data directory is for the test run."""

    def __init__(self, directory):
        self.directory = directory
        self.tools = directory / "pgsql/bin"
        self.load = None

    def call(self, *words):
        subprocess.run([str(word) for word in words], cwd=self.directory, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, **as_user(self.directory))

    def start(self, data):
        self.call(self.tools / "pg_ctl", "-w", "-D", data, "-l", data + ".log", "-o", "-p 5544 -k /tmp", "start")

    def stop(self, data):
        self.call(self.tools / "pg_ctl", "-w", "-D", data, "-m", "fast", "stop")

    def __enter__(self):
        for data in ("test", "train"):
            self.call(self.tools / "initdb", "-D", data, "-A", "trust", "--no-locale", "-E", "UTF8")
            self.start(data)
            self.call(self.tools / "pgbench", "-h", "/tmp", "-p", "5544", "-i", "-s", "2", "postgres")
            if data == "test":
                self.stop(data)
        self.load = subprocess.Popen([self.tools / "pgbench", "-h", "/tmp", "-p", "5544", "-S", "-T", "600", "-c", "2", "postgres"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **as_user(self.directory))
        time.sleep(2)
        return (self.directory / "train/postmaster.pid").read_text().split()[0]

    def __exit__(self, *_):
        self.load.terminate()
        self.load.wait()
        self.stop("train")


def as_user(directory):
    """The owner of the tree runs what is in it."""
    return {"user": directory.stat().st_uid, "group": directory.stat().st_gid} if os.getuid() == 0 else {}


def give_away(directory):
    if os.getuid() == 0:
        user = pwd.getpwnam("nobody")
        subprocess.run(["chown", "-R", "%d:%d" % (user.pw_uid, user.pw_gid), directory], check=True)


# ---- one command ---------------------------------------------------------------------------------

def pgo(softlbr, directory, *words):
    done = subprocess.run([softlbr, "pgo", *words], cwd=directory, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **as_user(directory))
    sys.stdout.write(done.stdout)
    sys.stdout.flush()
    return done.returncode


def try_one(softlbr, project, directory, sources):
    """In a tree that is there already, go on where the last call stopped."""
    if not (directory / ".softlbr-pgo").exists():
        shutil.rmtree(directory, ignore_errors=True)
        if not project.begin(directory, sources):
            return 1
    words = ["--build=" + project.build, *("--run=" + run for run in project.runs)]
    after = ["--test-run=" + run for run in project.tests]
    if project.filter:
        after.append("--output-filter=" + project.filter)
    if not project.service:
        return pgo(softlbr, directory, *words, *after)
    give_away(directory)
    status = pgo(softlbr, directory, *words, "--stop-after=build")
    if not status and "step record" not in (directory / ".softlbr-pgo/state").read_text(encoding="utf-8"):
        with Server(directory) as pid:
            status = pgo(softlbr, directory, "--pid=" + pid, "--duration=20s", "--stop-after=record")
    return status or pgo(softlbr, directory, *after)


def rows(name, project, directory):
    for line in (directory / ".softlbr-pgo/state").read_text(encoding="utf-8").splitlines():
        found = MEASURED.match(line)
        if not found:
            continue
        command, change, error, time, unit, instructions = found.groups()
        trained = command.replace("\\\\", "\\") in project.runs
        run = re.sub(r"^.*?([\w.]+ .*)", r"\1", command.split(" < ")[0]).replace("|", "\\|")
        run = "`%s`" % (run if len(run) < 60 else run[:57] + "...")
        yield [name, run, "trained" if trained else "other work", float(time) * (1 if unit == "ms" else 1000),
               float(change), float(error), float(instructions) if instructions else None]


def mean(result, kind):
    """Of the projects' means: one of many runs weighs no more, and the one of jq trained narrowly nothing."""
    of_project = {}
    for row in result:
        if row[2] == kind and row[-1] is not None and row[0] != NARROW:
            of_project.setdefault(row[0], []).append(row[-1])
    means = [sum(changes) / len(changes) for changes in of_project.values()]
    return ["mean of the projects", "", kind, None, None, None, round(sum(means) / len(means), 2) if means else None]


def first_word(name):
    return name.split()[0].strip(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("softlbr")
    parser.add_argument("--projects", default=",".join(map(first_word, PROJECTS)),
                        help="by their first words")
    parser.add_argument("--root", type=Path, help="where trees stay; with them there, it goes on")
    parser.add_argument("--sources", type=Path, help="unpacked sources, by the names of Debian's packages: else apt's are taken")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    wanted = arguments.projects.split(",")
    unknown = set(wanted) - {first_word(name) for name in PROJECTS}
    if unknown:
        parser.error("no such project: %s" % ", ".join(sorted(unknown)))
    softlbr = os.path.realpath(arguments.softlbr)
    result, failed = [], 0
    with tempfile.TemporaryDirectory() as temporary:
        os.chmod(temporary, 0o755)
        for name, project in PROJECTS.items():
            if first_word(name) not in wanted:
                continue
            directory = (arguments.root or Path(temporary)).resolve() / re.sub(r"\W+", "-", name).strip("-")
            print("# %s" % name, flush=True)
            status = try_one(softlbr, project, directory, arguments.sources)
            failed |= status not in (0, 7)
            result += rows(name, project, directory) if status in (0, 7) else []
    if arguments.json:
        gcc = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True, check=True).stdout.strip()
        section.write(arguments.json, "softlbr pgo on real projects, gcc %s" % gcc, TEXT % gcc, COLUMNS,
                      [*result, mean(result, "trained"), mean(result, "other work")],
                      "benchmarks/projects.py build/softlbr", digits=1)
    return failed


if __name__ == "__main__":
    sys.exit(main())
