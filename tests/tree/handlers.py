#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""handlers.py BUILD_DIRECTORY [PREFIX]: what the collector's signal handlers can reach calls nothing outside the
library, and the folder collector/inside/handler/ holds what they can reach and no more.

Read from the object files, function by function: whatever has its address taken may be called from a handler,
and so may what that calls, unless it is named here as something that only ordinary code calls. A handler runs
wherever the program was, in malloc or with any lock held, and a breakpoint may stand in anything that is not
the library's own: nothing outside may be called, which leaves no allocation and no lock.

For x86-64 and AArch64, whose binutils begin with PREFIX, as in aarch64-linux-gnu-.
"""
import re
import subprocess
import sys
from pathlib import Path

# Called by libc or the kernel in ordinary code, by address: nobody who runs in a handler has these.
ORDINARY = {
    "end_of_thread": "a thread's end: a destructor of pthread_key_create",
    "make_thread_key": "pthread_once",
    "run_thread": "a new thread",
    "run_c11_thread": "a new thread",
    "run_late_clocks": "our thread that gives clocks, which has no handler",
    "process_open_thread": "for that thread, and in a new one",
    "run_switch_thread": "the switching thread, which has no handler",
    "run_writer": "the linked collector's thread",
    "take_traces": "the same: for what it has written",
    "count_filters": "the linked collector's plan, before a recording begins",
    "filter_kills": "the same",
    "has_timers": "the same",
    "event_parse": "the same",
    "event_try": "the same",
    "rate_measure": "the same",
    "after_fork": "pthread_atfork",
    "process_after_fork": "pthread_atfork",
    "add_existing": "for each thread that was there before us",
    "wait_for": "for each thread, at a stop",
    "event_try_breakpoint": "not called: an address for a breakpoint",
    "entry_check_object": "dl_iterate_phdr, before the program begins",
    "read_own_file": "reads the program's file, before it begins",
    "read_target": "reads a program's file, before an exec",
    "pass_to_kernel": "the program's own sigaction(2)",
    "remove_temporaries": "not installed there: the handler of the softlbr program",
}
# In handler/, and reached by no handler: (names, why they stand there).
BESIDE_HANDLERS = (
    (r"\w+_(init|make|unmap|forget|after_fork)", "makes what handlers use, or forgets it in a fork's child"),
    (r"altstack_(enter|leave|of|others_matter)", "the other side of the stacks that handlers run on"),
    (r"descriptors_(contain|next|move)", "what the program's calls ask about descriptors that handlers open"),
    (r"handler_state_\w+", "what ordinary code asks about the state"),
    (r"follow_resume_current", "the end of what follow_suspend_current begins"),
    (r"process_file_(fit|lend|return_chunks)", "in ordinary code too; are inlined in handlers"),
    (r"pending_trap_(is_there|take|put_back)", "around an exec: what handlers would find pending"),
    (r"restartable_scan_(watch|before_thread)", "before the first handler looks"),
    (r"rwlock_read(_end)?", "the readers' half of a lock that handlers write"),
    (r"thread_(open_events|slot)", "opens what handlers set; is inlined in handlers"),
    (r"virtual_mask_(is_over|make_real)", "is inlined in handlers"),
    (r"mem(cmp|move)|str\w+", "freestanding.c stands in for libc in the whole library"),
)
INSIDE_ROOMS = "/softlbr-collector.dir/inside/"
HANDLER_ROOM = INSIDE_ROOMS + "handler/"
# x86-64, and AArch64
BRANCH = re.compile(r"call|j|(bl|b|b\..*|cbn?z|tbn?z)$")
TAKES_ADDRESS = ("lea", "adr")
ABSOLUTE = ("R_X86_64_64", "R_AARCH64_ABS64")
# to where the instruction ends, 4 bytes behind the relocation
TO_END = ("R_X86_64_PC32", "R_X86_64_PLT32")
# Not code that could allocate or lock: data, and what compilers write (libgcc's part of it is linked in).
ALLOWED = re.compile(r"_GLOBAL_OFFSET_TABLE_|_r_debug|__cpu_model|__[a-z]*[dst]i[234]|__aarch64_[a-z]+[1248]_[a-z_]+")

# The engine makes no system call: backends give it operations that do, and libc's copying is all that it takes.
ENGINE = "engine"
SYSTEM_CALL = ("syscall", "svc")
COPYING = re.compile(r"mem(cpy|set|move|cmp)|_GLOBAL_OFFSET_TABLE_|__[a-z]*[dst]i[234]|__aarch64_[a-z]+[1248]_[a-z_]+")

ROOMS = ("softlbr-collector.dir", "softlbr-core.dir", "softlbr-isa.dir", "softlbr-base.dir",
         "softlbr-perfdata-write.dir")


def plain(name):
    """A compiler's part of a function counts as the function: foo.cold, foo.isra.0"""
    return name.split(".")[0]


def binutil(name, *arguments):
    prefix = sys.argv[2] if len(sys.argv) > 2 else ""
    return subprocess.run((prefix + name, *arguments), check=True, capture_output=True, text=True).stdout


class Object:
    def __init__(self, path):
        self.path = path
        self.functions = {}  # (section, begin) -> name
        self.calls = {}  # name -> symbols called, or data used
        self.taken = set()  # symbols whose address is taken
        self.undefined = set()
        self.codes = set()  # names of functions
        self.exported = set()
        self.system_calls = set()  # functions with one
        self.read_symbols()
        self.read_code()
        self.read_data()

    def read_symbols(self):
        for line in binutil("objdump", "-t", self.path).splitlines():
            found = re.match(r"([0-9a-f]{16}) (.{7}) (\S+)\s+[0-9a-f]{16}\s+(?:\.\w+ )?(\S+)$", line)
            if not found:
                continue
            value, flags, section, name = found.groups()
            if name.startswith("."):  # a compiler's label
                continue
            if section == "*UND*":
                self.undefined.add(name)
            elif "F" in flags or (section.startswith(".text") and flags[6] != "d" and "f" not in flags):
                self.functions.setdefault((section, int(value, 16)), plain(name))
                self.codes.add(plain(name))
                if flags[0] in "gu":
                    self.exported.add(name)

    def at(self, section, offset):
        begins = [b for s, b in self.functions if s == section and b <= offset]
        return self.functions[section, max(begins)] if begins else None

    def target(self, text, to_end):
        """The symbol that a relocation is to: a section's is the function there."""
        name, addend = re.match(r"(.+?)([+-]0x[0-9a-f]+)?$", text).groups()
        if name.startswith(".text"):
            return self.at(name, int(addend or "0", 16) + (4 if to_end else 0))
        return None if name.startswith(".") else plain(name)

    def read_code(self):
        function = mnemonic = None
        for line in binutil("objdump", "-dr", "--no-show-raw-insn", self.path).splitlines():
            head = re.match(r"[0-9a-f]{16} <(.+)>:$", line)
            relocation = re.match(r"\s+[0-9a-f]+: (R_\S+)\s+(\S+)", line)
            instruction = re.match(r"\s+[0-9a-f]+:\s+(?:(?:notrack|bnd|rep|lock|data16) )*([\w.]+)(?:\s+(.*))?$", line)
            if head:
                function = plain(head[1])
                self.calls.setdefault(function, set())
            elif relocation:
                if "TLSDESC_CALL" in relocation[1]:  # ld.so's, which may allocate
                    self.calls[function].add("a thread-local variable's descriptor")
                name = self.target(relocation[2], relocation[1] in TO_END)
                if name is None:
                    continue
                if BRANCH.match(mnemonic) or name not in self.codes:
                    self.calls[function].add(name)
                if not BRANCH.match(mnemonic):
                    self.taken.add(name)
            elif instruction:
                mnemonic = instruction[1]
                if mnemonic in SYSTEM_CALL:
                    self.system_calls.add(function)
                to = re.search(r"<([^>+]+)(?:\+0x[0-9a-f]+)?>", instruction[2] or "")
                if not to or plain(to[1]) == function:
                    continue
                if BRANCH.match(mnemonic):
                    self.calls[function].add(plain(to[1]))
                elif mnemonic in TAKES_ADDRESS:
                    self.taken.add(plain(to[1]))

    def read_data(self):
        section = ""
        for line in binutil("objdump", "-r", self.path).splitlines():
            head = re.match(r"RELOCATION RECORDS FOR \[(.+)\]", line)
            if head:
                section = head[1]
            fields = line.split()
            if not section.startswith((".data", ".rodata", ".tdata")) or len(fields) != 3:
                continue
            if fields[1] in ABSOLUTE:
                name = self.target(fields[2], False)
                if name:
                    self.taken.add(name)


def wrong_room(objects, reached):
    """What inside/ holds in the wrong one of its rooms: by functions that handlers reach, and by those in handler/
    that only others call. One without a caller was inlined."""
    failures, used = [], set()
    called = {name for o in objects for calls in o.calls.values() for name in calls}
    for o in objects:
        if INSIDE_ROOMS not in o.path.as_posix():
            continue
        there = HANDLER_ROOM in o.path.as_posix()
        for name in sorted(o.codes):
            beside = [names for names, _ in BESIDE_HANDLERS if re.fullmatch(names, name)]
            if (o, name) in reached and not there:
                failures.append(f"{name}: {o.path.stem} is not in inside/handler/, and handlers reach it")
            elif there and (o, name) not in reached and name in called:
                used.update(beside)
                if not beside:
                    failures.append(f"{name}: {o.path.stem} is in inside/handler/, and no handler reaches it")
    return failures + [f"BESIDE_HANDLERS: {names} is not needed" for names, _ in BESIDE_HANDLERS if names not in used]


def main():
    build = Path(sys.argv[1])
    # not those of a build for another CPU inside (tests/guest)
    others = [cache.parent for cache in build.glob("*/CMakeCache.txt")]
    objects = [Object(p) for p in sorted(build.rglob("*.o"))
               if any(r in p.parts for r in ROOMS) and not any(o in p.parents for o in others)]
    if len(objects) < 40:
        sys.exit(f"FAIL: only {len(objects)} objects in {build}")
    defined = {}
    for o in objects:
        for name in o.exported:
            defined.setdefault(name, o)
    data = {name for o in objects for line in binutil("nm", "--defined-only", o.path).splitlines()
            for name in [line.split()[-1]] if line.split()[-2] in "BbDdRrGgSsCVv"}

    def find(o, name):
        """The object whose function @name is, as seen from @o; None: it is none of ours."""
        return o if name in o.codes else defined.get(name)

    todo, reached = [], {}
    for o in objects:
        for name in o.taken:
            owner = find(o, name)
            if owner and name not in ORDINARY:
                todo.append((owner, name, None))

    def way(o, name):
        steps = []
        while o:
            steps.append(f"{name} ({o.path.parent.name}/{o.path.stem})")
            o, name = reached[o, name] or (None, None)
        return " <- ".join(steps) + ", whose address is taken"

    engine = [o for o in objects if o.path.parent.name == ENGINE]
    failures = [f"{o.path.stem}: {name} makes a system call: the engine makes none"
                for o in engine for name in o.system_calls]
    failures += [f"{o.path.stem}: {name} is nothing of ours, and may be a system call: the engine makes none"
                 for o in engine for name in o.undefined - set(defined) - data if not COPYING.fullmatch(name)]
    if len(engine) < 10:
        failures.append(f"the engine has {len(engine)} objects only")
    while todo:
        o, name, caller = todo.pop()
        if (o, name) in reached:
            continue
        reached[o, name] = caller
        for called in sorted(o.calls.get(name, ())):
            owner = find(o, called)
            if owner:
                todo.append((owner, called, (o, name)))
            elif called not in data and not ALLOWED.fullmatch(called):
                failures.append(f"{called}: {way(o, name)}")
    # the handler, and what it reaches only through tables: struct core_backend's, struct restartable's
    for must in ("on_trap", "act", "set_breakpoint", "defer_finish", "finish", "fill_sample", "reserve",
                 "publish", "look_for_sequences", "buffer_reserve"):
        if must not in {name for _, name in reached}:
            failures.append(f"{must} is not found to be reached: is this a build of the collector?")
    failures += wrong_room(objects, {(o, name) for o, name in reached})
    print(f"{len(reached)} functions of {len({o for o, _ in reached})} objects can be reached")
    if failures:
        print("\n".join(failures))
        sys.exit("FAIL: handlers may call outside, or a room does not tell the truth")


main()
