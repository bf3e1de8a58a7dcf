# SPDX-License-Identifier: MIT
"""The programs of gain.py: how each is built, and what it runs. `train` is what callgrind and the
instrumented build see, `record` the same kind of work for longer, `unseen` something else."""
import os
import shlex

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, "..")

LUA_UNSEEN = """
-- sieve, n-queens by bits, text to a tree and back, a heap with a comparator, closures, varargs
local function sieve(n) local is, c = {}, 0 for i = 2, n do is[i] = true end
  for i = 2, n do if is[i] then c = c + 1 for j = i * i, n, i do is[j] = false end end end return c end
local function queens(all, cols, left, right) if cols == all then return 1 end
  local free, c = all & ~(cols | left | right), 0
  while free ~= 0 do local bit = free & -free free = free ~ bit
    c = c + queens(all, cols | bit, (left | bit) << 1 & all, (right | bit) >> 1) end return c end
local function write(v, out) if type(v) == "table" then out[#out + 1] = "(" for i = 1, #v do write(v[i], out) end
  out[#out + 1] = ")" else out[#out + 1] = tostring(v) .. " " end return out end
local function read(text, at) local list = {} while true do
  local c = text:sub(at, at) if c == ")" or c == "" then return list, at + 1
  elseif c == "(" then local inner inner, at = read(text, at + 1) list[#list + 1] = inner
  elseif c == " " then at = at + 1
  else local word, stop = text:match("([^%s()]+)()", at) list[#list + 1] = tonumber(word) or word at = stop end end end
local Heap = {} Heap.__index = Heap
function Heap.new(less) return setmetatable({n = 0, less = less}, Heap) end
function Heap:push(v) local i = self.n + 1 self.n = i self[i] = v
  while i > 1 and self.less(self[i], self[i // 2]) do self[i], self[i // 2] = self[i // 2], self[i] i = i // 2 end end
function Heap:pop() local top = self[1] self[1] = self[self.n] self[self.n] = nil self.n = self.n - 1 local i = 1
  while true do local s = i for c = 2 * i, 2 * i + 1 do if c <= self.n and self.less(self[c], self[s]) then s = c end end
    if s == i then return top end self[s], self[i] = self[i], self[s] i = s end end
local function sum(...) local s = 0 for i = 1, select("#", ...) do s = s + (select(i, ...)) end return s end
local function tree(d) if d == 0 then return {1, "leaf"} end return {tree(d - 1), d, tree(d - 1)} end
for round = 1, tonumber(arg[1]) do
  local text = table.concat(write(tree(10), {})) local back = read(text, 1)
  local heap, seed, total = Heap.new(function(a, b) return a.key > b.key end), round, 0
  for i = 1, 8000 do seed = seed * 48271 % 2147483647 heap:push({key = seed % 10007, name = "n" .. i}) end
  for i = 1, 8000 do local e = heap:pop() total = (total * 7 + e.key + #e.name) % 1000003 end
  local adders = {} for i = 1, 50 do adders[i] = function(x, ...) return x + i + sum(i, ...) end end
  for i = 1, 20000 do total = (total + adders[i % 50 + 1](i, i // 3, 2.5)) % 1000003 end
  print(round, sieve(60000), queens((1 << 8) - 1, 0, 0, 0), #text, #write(back, {}), total,
    (text:gsub("leaf", "L"):rep(2):find("L ) )", 1, true)))
end
"""


class Program:
    record = ["-c", "400us", "-n", "32"]

    def __init__(self, directory):
        self.directory = directory
        self.source = os.path.join(directory, "source")
        os.makedirs(directory, exist_ok=True)

    def file(self, name, text=None):
        path = os.path.join(self.directory, name)
        if text is not None and not os.path.exists(path):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def fetch(self, sh, package):
        if not os.path.exists(self.source):
            sh(os.path.join(root, "scripts", "fetch-source.sh"), package, self.source)

    def output(self, directory):
        """What a run wrote besides standard output."""
        return b""


class Sqlite(Program):
    """sqlite3's amalgamation and shell: a shop's orders; unseen, weather stations."""
    name = "sqlite"

    def prepare(self, sh):
        self.fetch(sh, "sqlite3")
        if not os.path.exists(os.path.join(self.source, "shell.c")):
            sh("./configure", "--disable-tcl", "--disable-readline", cwd=self.source)
            sh("make", "sqlite3.c", "shell.c", cwd=self.source)
        scripts = os.path.join(root, "examples", "sqlite")
        for name, command in (("train", ["training.sh", "6000", "2"]),
                              ("record", ["training.sh", "60000", "12"]),
                              ("unseen", ["evaluation.sh", "8000"])):
            if not os.path.exists(self.file(name)):
                self.file(name, sh(os.path.join(scripts, command[0]), *command[1:]))

    def build(self, sh, c, cxx, flags, link, target):
        sh(c, *shlex.split(flags), "-w", "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION",
           "sqlite3.c", "shell.c", "-o", target, *shlex.split(link), "-lm", cwd=self.source)

    def workload(self, name):
        return [], self.file(name)


class Lua(Program):
    """Lua's interpreter: tables, strings, closures; unseen, another program."""
    name = "lua"

    def prepare(self, sh):
        self.fetch(sh, "lua5.4")
        with open(os.path.join(self.source, "src", "lua5.4-deb-multiarch.h"), "w",
                  encoding="utf-8") as header:
            header.write('#define DEB_HOST_MULTIARCH ""\n')
        self.file("unseen.lua", LUA_UNSEEN)

    def build(self, sh, c, cxx, flags, link, target):
        directory = os.path.join(self.source, "src")
        files = sorted(f for f in os.listdir(directory) if f.endswith(".c") and f != "luac.c")
        # llvm-bolt gives up on the interpreter's computed gotos
        dispatch = ["-DLUA_USE_JUMPTABLE=0"] if link else []
        sh(c, *shlex.split(flags), "-w", "-DLUA_USE_POSIX", *dispatch, *files, "-o", target,
           *shlex.split(link), "-lm", cwd=directory)

    def workload(self, name):
        work = os.path.join(root, "spec-harness", "programs", "data", "work.lua")
        return {"train": [work, "2", "42"], "record": [work, "25", "42"],
                "unseen": [self.file("unseen.lua"), "2"]}[name], None


class Tetgen(Program):
    """TetGen (C++): meshing its example body; unseen, a prism."""
    name = "tetgen"

    def prepare(self, sh):
        self.fetch(sh, "tetgen")
        corners = [(2, 0), (3, 0), (4, 1), (4.5, 3), (3, 4.2), (1.2, 4), (0, 2.5), (0.4, 1)]
        n = len(corners)
        lines = ["%d 3 0 0" % (2 * n)]
        lines += ["%d %g %g %g" % (i + 1 + n * z, x, y, 1.7 * z)
                  for z in (0, 1) for i, (x, y) in enumerate(corners)]
        lines += ["%d 0" % (n + 2)]
        for z in (0, 1):
            lines += ["1", "%d %s" % (n, " ".join(str(i + 1 + n * z) for i in range(n)))]
        for i in range(n):
            j = (i + 1) % n
            lines += ["1", "4 %d %d %d %d" % (i + 1, j + 1, j + 1 + n, i + 1 + n)]
        self.file("unseen.poly", "\n".join(lines + ["0", "0", ""]))

    def build(self, sh, c, cxx, flags, link, target):
        objects = []
        for file, more in (("tetgen.cxx", ""), ("predicates.cxx", "-O0")):
            objects.append("%s.%s.o" % (target, file))
            sh(cxx, *shlex.split("%s %s" % (flags, more)), "-w", "-DSELF_CHECK", "-DNDEBUG", "-I.",
               "-c", file, "-o", objects[-1], cwd=self.source)
        sh(cxx, *shlex.split(flags), *objects, "-o", target, *shlex.split(link))

    def workload(self, name):
        example = os.path.join(self.source, "example.poly")
        return {"train": ["-pq1.25a0.001EFQ", example], "record": ["-pq1.25a0.0001EFQ", example],
                "unseen": ["-pq1.4a0.005EFQ", self.file("unseen.poly")]}[name], None

    def output(self, directory):
        written = b""
        for mesh in (os.path.join(self.source, "example.1.node"), self.file("unseen.1.node")):
            if os.path.exists(mesh):
                with open(mesh, "rb") as file:
                    written += b"".join(line for line in file if not line.startswith(b"#"))
                os.remove(mesh)
        return written


PROGRAMS = {program.name: program for program in (Sqlite, Lua, Tetgen)}
