#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stale.py [--programs=NAME,...] [--compilers=NAME,...] [-o SECTION.json] SOFTLBR DIRECTORY: what a profile of older
sources is worth to newer ones, as it is and by `softlbr update`, against one of the newer program.

DIRECTORY has the sources, one folder each: OLD/PROGRAM and NEW/PROGRAM for two releases (OLD alone for leveldb), as
unpacked from Debian's source packages; sqlite3 with its amalgamation made. What is in DIRECTORY/runs already is not
made again. Each program is changed in two ways:

  edited   comments above and inside of functions, hot functions renamed: the same code, so that the older program
           with its own profile is what a fresh one gains
  release  the newer release; a fresh profile is recorded of it

Instructions are counted by callgrind, for llvm-bolt taken branches. clang-19's own -salvage-stale-profile and
llvm-bolt's -infer-stale-profile are measured beside it."""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import section

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "spec-harness"))
from harness.measure import taken_branches  # noqa: E402

COMPILERS = {
    "gcc-12": ("gcov", "-O2", "-g", "-fauto-profile=%s -fvect-cost-model=very-cheap"),
    "llvm-bolt-19": ("fdata", "-O2 -g -fno-reorder-blocks-and-partition -Wl,-q -DLUA_USE_JUMPTABLE=0", "", ""),
    "clang-19": ("llvm-text", "-O2", "-gline-tables-only -fdebug-info-for-profiling",
                 "-fprofile-sample-use=%s -mllvm -sample-profile-use-profi"),
}
SALVAGE = " -mllvm -salvage-stale-profile"


def sh(command, **how):
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **how)
    if done.returncode:
        sys.exit("stale: %s: status %d: %s" % (command[:300], done.returncode, done.stdout.strip()[-2000:]))
    return done.stdout


class Sqlite:
    name = "sqlite3"
    files = ["sqlite3.c", "test/speedtest1.c"]
    flags = ("-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_RTREE -D_HAVE_SQLITE_CONFIG_H=0 "
             "-I. sqlite3.c test/speedtest1.c -lm")
    train, test = "--size 60 :memory:", "--size 6 :memory:"
    renamed = {"sqlite3BtreeNext": "btreeStepForward", "sqlite3VdbeRecordCompareWithSkip": "vdbeCompareRecords",
               "patternCompare": "likePatternMatches"}
    cxx = False


class Lua:
    name = "lua5.4"
    files = ["src/*.c", "src/*.h"]
    flags = "-std=gnu99 -DLUA_COMPAT_5_3 -DLUA_USE_POSIX -Isrc $(ls src/*.c | grep -v luac.c) -lm"
    train, test = "../train.lua 800", "../train.lua 3"
    renamed = {"luaH_getshortstr": "luaH_findshort", "luaV_finishget": "luaV_endget"}
    cxx = False


class Leveldb:
    name = "leveldb"
    files = ["db/*", "table/*", "util/*", "helpers/*/*", "include/*/*", "port/*"]
    flags = ("-std=c++11 -fno-exceptions -fno-rtti -DLEVELDB_PLATFORM_POSIX=1 -DHAVE_FDATASYNC=1 -DHAVE_O_CLOEXEC=1 "
             "-Iinclude -I. driver.cc $(ls db/*.cc table/*.cc util/*.cc helpers/memenv/memenv.cc | "
             "grep -v -e _test.cc -e leveldbutil -e testutil -e env_windows) -lpthread")
    train, test = "400000", "20000"
    renamed = {"SeekToRestartPoint": "GoToRestartPoint", "FindGreaterOrEqual": "LowerBound",
               "ParseNextKey": "DecodeNextKey"}
    cxx = True


DRIVER = r"""
#include <cstdio>
#include <cstdlib>
#include <string>
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "helpers/memenv/memenv.h"
int main(int argc, char** argv) {
  long n = atol(argv[1]), found = 0, bytes = 0;
  unsigned long x = 88172645463325252ul;
  char key[32], value[100];
  leveldb::Options o;
  leveldb::DB* db;
  o.env = leveldb::NewMemEnv(leveldb::Env::Default());
  o.create_if_missing = true;
  if (!leveldb::DB::Open(o, "/db", &db).ok()) return 1;
  for (long i = 0; i < n; i++) {
    x ^= x << 13; x ^= x >> 7; x ^= x << 17;
    snprintf(key, sizeof(key), "%016lu", x % n);
    for (int j = 0; j < 100; j++) value[j] = 'a' + (x >> (j % 50)) % 26;
    db->Put(leveldb::WriteOptions(), key, leveldb::Slice(value, 100));
  }
  std::string out;
  for (long i = 0; i < n; i++) {
    x ^= x << 13; x ^= x >> 7; x ^= x << 17;
    snprintf(key, sizeof(key), "%016lu", x % n);
    found += db->Get(leveldb::ReadOptions(), key, &out).ok();
  }
  leveldb::Iterator* it = db->NewIterator(leveldb::ReadOptions());
  for (it->SeekToFirst(); it->Valid(); it->Next()) bytes += it->value().size();
  printf("%ld %ld\n", found, bytes);
  delete it;
  delete db;
}
"""
TRAIN = r"""
local n = tonumber(arg[1])
local s = 0
for r = 1, n do
  local t = {}
  for i = 1, 4000 do t[i] = (i * 7919 + r) % 1009 end
  table.sort(t)
  local words = {}
  for i = 1, 2000 do words["k" .. t[i]] = (words["k" .. t[i]] or 0) + 1 end
  for k, v in pairs(words) do s = s + v + #k end
  local text = table.concat(t, ",")
  for w in string.gmatch(text, "%d+") do s = s + tonumber(w) end
  local o = setmetatable({}, {__index = function(_, k) return k * 2 end})
  for i = 1, 5000 do s = s + o[i] end
end
print(s)
"""
PROGRAMS = {p.name: p for p in (Sqlite, Lua, Leveldb)}


def edit(program, to):
    """Comments above functions and inside of them, renamed functions: all code stays what it was."""
    for pattern in program.files:
        for path in sorted(glob.glob(os.path.join(to, pattern))):
            if not re.search(r"\.(c|h|cc)$", path):
                continue
            with open(path, encoding="latin-1") as file:
                text = file.read()
            for old, new in program.renamed.items():
                text = re.sub(r"\b%s\b" % old, new, text)
            out, inside, last = [], 0, ""
            for number, line in enumerate(text.split("\n")):
                out.append(line)
                if line == "}":
                    out += ["/* a comment", "** of two lines */"]
                plain = line.rstrip().endswith(";") and not last.endswith("\\") and not line.lstrip().startswith(("#", "*"))
                before, inside = inside, max(inside + line.count("/*") - line.count("*/"), 0)
                if plain and line.startswith("  ") and number % 7 == 0 and not before and not inside:
                    out.append("  /* what this does */")
                last = line
            with open(path, "w", encoding="latin-1") as file:
                file.write("\n".join(out))


class Case:
    """A program, a compiler and a change."""

    def __init__(self, options, program, compiler, change):
        self.softlbr, self.program, self.compiler, self.change = options.softlbr, program, compiler, change
        self.root = options.directory
        self.runs = os.path.join(self.root, "runs", program.name, compiler, change)
        os.makedirs(self.runs, exist_ok=True)
        self.format, self.base, self.debug, self.use = COMPILERS[compiler]
        self.driver = self.driver_of("gcc-12" if "bolt" in compiler else compiler)

    def sources(self, which):
        """old, or new: the changed ones."""
        if which == "old" or self.change == "release":
            return os.path.join(self.root, which, self.program.name)
        to = os.path.join(self.root, "runs", self.program.name, "edited-sources")
        if not os.path.isdir(to):
            shutil.copytree(os.path.join(self.root, "old", self.program.name), to + ".part")
            edit(self.program, to + ".part")
            os.rename(to + ".part", to)
        return to

    def folder(self, which):
        """Programs and profiles of the older sources are the same for all changes."""
        return self.runs if which == "new" else os.path.dirname(self.runs)

    def build(self, which, name, flags):
        to = os.path.join(self.folder(which), name)
        if not os.path.exists(to):
            source = self.sources(which)
            if self.program is Leveldb:
                with open(os.path.join(source, "driver.cc"), "w", encoding="ascii") as file:
                    file.write(DRIVER)
            sh("nice %s %s %s %s -o %s.part" % (self.driver, self.base, flags, self.program.flags, to), cwd=source)
            os.rename(to + ".part", to)
        return to

    def profile(self, which):
        to = os.path.join(self.folder(which), "profile-" + which)
        if not os.path.exists(to):
            binary = self.build(which, "recorded-" + which, self.debug)
            sh("%s record -o %s.data -- %s %s" % (self.softlbr, to, binary, self.program.train),
               cwd=os.path.join(self.root, "runs", self.program.name))
            sh("%s convert --force -b %s -i %s.data --to %s=%s.part || [ $? = 5 ]" % (
                self.softlbr, binary, to, self.format, to))
            os.rename(to + ".part", to)
        return to

    def update_options(self):
        return "--old-source %s --new-source %s" % (self.sources("old"), self.sources("new"))

    def updated(self):
        to = os.path.join(self.runs, "profile-updated")
        if not os.path.exists(to):
            text = sh("%s update --force %s --json -o %s.part %s || [ $? = 5 ]" % (
                self.softlbr, self.update_options(), to, self.profile("old")))
            with open(to + ".json", "w", encoding="utf-8") as file:
                file.write(text)
            os.rename(to + ".part", to)
        return to

    def lost(self):
        with open(self.updated() + ".json", encoding="utf-8") as file:
            text = file.read()
        rows = {row["what"]: row["share"] for row in json.loads(text)["funnel"]["rows"]}
        return 100 * rows["lost"]

    def callgrind(self, binary, out, how=""):
        """By a clock that stands: Lua's hashes depend on it."""
        clock = os.path.join(self.root, "runs", "clock.so")
        if not os.path.exists(clock):
            sh("echo 'long time(long *t) { return t ? *t = 1 : 1; }' | gcc -shared -fPIC -o %s -x c -" % clock)
        return sh("LD_PRELOAD=%s valgrind --tool=callgrind %s --callgrind-out-file=%s %s %s" % (
            clock, how, out, binary, self.program.test), cwd=os.path.join(self.root, "runs", self.program.name))

    def instructions(self, binary):
        to = binary + ".instructions"
        if not os.path.exists(to):
            text = self.callgrind(binary, "/dev/null")
            with open(to, "w", encoding="ascii") as file:
                file.write(re.search(r"Collected : (\d+)", text).group(1))
        with open(to, encoding="ascii") as file:
            return int(file.read())

    def driver_of(self, compiler):
        return compiler.replace("gcc", "g++").replace("clang", "clang++") if self.program.cxx else compiler

    def gains(self):
        """{what: per cent of the instructions saved}"""
        release = self.change == "release"
        fresh_of = "new" if release else "old"
        plain = self.instructions(self.build(fresh_of, "plain-" + fresh_of, ""))
        builds = {
            "fresh": (fresh_of, "fresh-" + fresh_of, self.use % self.profile(fresh_of)),
            "as it is": ("new", "stale", self.use % self.profile("old")),
            "updated": ("new", "updated", self.use % self.updated()),
        }
        if self.compiler.startswith("clang"):
            builds["salvaged"] = ("new", "salvaged", self.use % self.profile("old") + SALVAGE)
        return {what: 100 * (1 - self.instructions(self.build(*how)) / plain) for what, how in builds.items()}


class BoltCase(Case):
    """The same for llvm-bolt, which changes the program itself; taken branches are counted."""
    flags = "-reorder-blocks=ext-tsp -reorder-functions=hfsort -split-functions -split-all-cold"

    def update_options(self):
        return "--old-binary %s --new-binary %s" % (self.build("old", "recorded-old", ""), self.build("new", "recorded-new", ""))

    def optimize(self, which, name, profile, more=""):
        to = os.path.join(self.folder(which), name)
        if not os.path.exists(to):
            sh("%s %s -data=%s -o %s.part %s -stale-threshold=100 %s" % (
                self.compiler, self.build(which, "recorded-" + which, ""), profile, to, self.flags, more))
            os.rename(to + ".part", to)
        return to

    def yaml(self):
        """The older profile in the form that llvm-bolt's own matching takes."""
        to = os.path.join(self.folder("old"), "profile-old.yaml")
        if not os.path.exists(to):
            sh("%s %s -data=%s -w=%s.part -o /dev/null" % (
                self.compiler, self.build("old", "recorded-old", ""), self.profile("old"), to))
            os.rename(to + ".part", to)
        return to

    def instructions(self, binary):
        to = binary + ".taken"
        if not os.path.exists(to):
            out = binary + ".callgrind"
            self.callgrind(binary, out, "--dump-instr=yes --collect-jumps=yes")
            with open(to, "w", encoding="ascii") as file:
                file.write(str(taken_branches([out])))
            os.remove(out)
        with open(to, encoding="ascii") as file:
            return int(file.read())

    def gains(self):
        fresh_of = "new" if self.change == "release" else "old"
        plain = self.instructions(self.build(fresh_of, "recorded-" + fresh_of, ""))
        builds = {
            "fresh": self.optimize(fresh_of, "fresh-" + fresh_of, self.profile(fresh_of)),
            "as it is": self.optimize("new", "stale", self.profile("old")),
            "updated": self.optimize("new", "updated", self.updated()),
            "salvaged": self.optimize("new", "salvaged", self.yaml(), "-infer-stale-profile"),
        }
        return {what: 100 * (1 - self.instructions(binary) / plain) for what, binary in builds.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--compilers", default=",".join(COMPILERS))
    parser.add_argument("--changes", default="edited,release")
    parser.add_argument("-o", "--output")
    parser.add_argument("softlbr", type=os.path.abspath)
    parser.add_argument("directory", type=os.path.abspath)
    options = parser.parse_args()
    rows = []
    for name in options.programs.split(","):
        program = PROGRAMS[name]
        os.makedirs(os.path.join(options.directory, "runs", name), exist_ok=True)
        with open(os.path.join(options.directory, "runs", "train.lua"), "w", encoding="ascii") as file:
            file.write(TRAIN)
        for change in options.changes.split(","):
            if change == "release" and not os.path.isdir(os.path.join(options.directory, "new", name)):
                continue
            for compiler in options.compilers.split(","):
                case = (BoltCase if "bolt" in compiler else Case)(options, program, compiler, change)
                gains = case.gains()
                row = [name, change, compiler] + [gains.get(what) for what in ("fresh", "as it is", "updated", "salvaged")]
                rows.append(row + [case.lost()])
                print("\t".join("-" if v is None else v if isinstance(v, str) else "%.2f" % v for v in rows[-1]), flush=True)
    if options.output:
        section.write(options.output, "Profiles of older sources", TEXT,
                      ["program", "change", "compiler", "fresh %", "as it is %", "updated %", "salvaged %", "lost %"],
                      rows, "benchmarks/stale.py", 1)


TEXT = ("Instructions saved against -O2 (callgrind), for llvm-bolt taken branches saved, by a profile of the newer program, by one of the older program as it is "
        "and by `softlbr update`, and by clang's own -salvage-stale-profile or llvm-bolt's -infer-stale-profile (salvaged). \"edited\": comments in and above functions, "
        "hot functions renamed; \"release\": Debian 12's and 13's release. Lost: share of the counts that found no line.")

if __name__ == "__main__":
    main()
