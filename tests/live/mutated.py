#!/usr/bin/env python3
"""Whole commands on inputs that are damaged by their structure: no crash, no hang, no other status, nothing left behind.

usage: mutated.py SOFTLBR CORPUS FOLDER FIRST RUNS JOBS

Run number N damages a copy of the inputs that tests/fuzz/seeds.sh made (a recording, its program, gcc's keys or counters of
it, or a profile that is converted from these), by random numbers from N alone, and runs one command on it: run N of a report is
`... N 1 1` again, which keeps its folder. Of a build with sanitizers these stop the command at what they find.
"""
import collections, concurrent.futures, os, random, re, shutil, struct, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from figures import Attack

RECORDINGS = "values", "weights", "stacks", "times"
PROFILES = "gcov", "llvm-text", "llvm-extbinary", "fdata", "preagg", "ranges"
EDGES = 0, 1, 2, 7, 8, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1
NUMBERS = b"0", b"-1", b"2", b"2147483647", b"4294967295", b"18446744073709551615", b"99999999999999999999", b"1e9"
GOOD, BAD = (0, 5, 7), (3, 4, 6)  # statuses with what was asked for, and without (docs/design.md)
SECONDS = 90  # a command takes a tenth of one
SANITIZERS = {
    "ASAN_OPTIONS": "exitcode=99:allocator_may_return_null=1:hard_rss_limit_mb=2560",
    "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99",
}


# ---- damage ---------------------------------------------------------------------------------


def damage_bytes(rnd, data, times, fixed=False):
    """Bytes and words become others; if not @fixed, some go, come, or come from elsewhere."""
    data = bytearray(data)
    for _ in range(times):
        if not data:
            break
        at = rnd.randrange(len(data))
        wide = rnd.choice((1, 2, 4, 8))
        at -= at % wide
        what = rnd.randrange(5 if fixed else 8)
        old = int.from_bytes(data[at:at + wide], "little")
        if what < 2:
            data[at] ^= 1 << rnd.randrange(8)
        elif what < 5:
            new = rnd.choice(EDGES) if what < 4 else old + rnd.choice((-4096, -8, -1, 1, 8, 256))
            new = (new & (1 << 8 * wide) - 1).to_bytes(wide, "little")
            data[at:at + wide] = new[:len(data) - at]
        elif what == 5:
            del data[at:at + rnd.randrange(1, 32)]
        elif what == 6:
            data[at:at] = rnd.randbytes(rnd.randrange(1, 24))
        else:
            other = rnd.randrange(len(data))
            data[at:at] = data[other:other + rnd.randrange(1, 64)]
    return bytes(data)


def damage_text(rnd, data):
    """Lines go, come twice, are much longer, or have other numbers."""
    lines = data.split(b"\n")
    for _ in range(rnd.randrange(1, 6)):
        at, what = rnd.randrange(len(lines)), rnd.randrange(10)
        if what < 2 and len(lines) > 1:
            del lines[at]
        elif what < 4:
            lines.insert(at, rnd.choice(lines))
        elif what < 5:
            lines[at] *= rnd.choice((2, 50, 500))
        else:
            lines[at] = re.sub(rb"\d+", lambda n: rnd.choice((n[0], n[0], rnd.choice(NUMBERS))), lines[at])
    return b"\n".join(lines)


def damage_recording(rnd, data):
    """Records, sections of features and the header; sizes around them are right again, mostly."""
    begin, size = struct.unpack_from("<QQ", data, 40)
    bits = [i for i in range(256) if data[72 + i // 8] >> i % 8 & 1]
    records, at = [], begin
    while at < begin + size:
        records.append(data[at:at + struct.unpack_from("<H", data, at + 6)[0]])
        at += len(records[-1])
    features = []
    for i, bit in enumerate(bits):
        where, length = struct.unpack_from("<QQ", data, begin + size + 16 * i)
        features.append((bit, data[where:where + length]))

    out = []
    for one in records:
        what = rnd.random()
        if what < 0.02:
            continue
        if what < 0.12:
            kind, misc, _ = struct.unpack_from("<IHH", one)
            body = damage_bytes(rnd, one[8:], rnd.randrange(1, 5))[:65520]
            if what < 0.03:
                kind = rnd.choice((*range(1, 22), *range(64, 85)))
            if what > 0.11:
                misc = rnd.randrange(1 << 16)
            length = rnd.choice((0, 4, 8, 65535)) if 0.05 < what < 0.055 else len(body) + 8
            one = struct.pack("<IHH", kind, misc, length) + body
        out += [one] * (2 if what > 0.98 else 1)
    if rnd.random() < 0.2:
        rnd.shuffle(out)
    features = [(bit, damage_bytes(rnd, one, 2) if rnd.random() < 0.2 else one)
                for bit, one in features if rnd.random() > 0.03]

    head = bytearray(data[:begin])
    if rnd.random() < 0.3:
        head[8:] = damage_bytes(rnd, head[8:], rnd.randrange(1, 3), fixed=True)
    body = b"".join(out)
    struct.pack_into("<Q", head, 48, len(body))
    head[72:104] = sum(1 << bit for bit, _ in features).to_bytes(32, "little")
    table, after = b"", begin + len(body) + 16 * len(features)
    for _, one in features:
        table += struct.pack("<QQ", after, len(one))
        after += len(one)
    whole = bytes(head) + body + table + b"".join(one for _, one in features)
    return whole[:rnd.randrange(len(whole))] if rnd.random() < 0.05 else whole


def damage_program(rnd, data):
    """What is in sections, as it is or found by its beginning; their headers, the segments' and the file's."""
    sections, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    found = [struct.unpack_from("<IIQQQQIIQQ", data, sections + 64 * i) for i in range(count)]
    strings = found[names][4]
    file = bytearray(data)
    for _ in range(rnd.randrange(1, 4)):
        begins = rnd.choice((b".debug_", b".debug_info", b".debug_line", b".debug_abbrev", b".debug_rng", b".eh", b".sym",
                             b".dyn", b".rela", b".text", b".note", b"."))
        i = rnd.choice([i for i, s in enumerate(found) if s[1] not in (0, 8) and s[5] and
                        data.startswith(begins, strings + s[0])] or [names])
        where, what = (found[i][4], found[i][5]), rnd.random()
        if what > 0.95:
            where = 16, 48
        elif what > 0.92:
            where = 64, 56 * struct.unpack_from("<H", data, 56)[0]
        elif what > 0.8:
            where = sections + 64 * i, 64
        part = slice(where[0], sum(where))
        file[part] = damage_bytes(rnd, file[part], rnd.choice((1, 1, 2, 5, 20)), fixed=True)
    return bytes(file)


# ---- runs -----------------------------------------------------------------------------------


class Inputs:
    """Undamaged: recordings by name, the program, the keys by file, profiles by format, and counters."""

    def __init__(self, softlbr, corpus, folder):
        def read(*path):
            with open(os.path.join(*path), "rb") as file:
                return file.read()

        self.program = read(corpus, "elf", "recorded")
        self.recordings = {name: read(corpus, "perfdata", "recorded-" + name) for name in RECORDINGS}
        dump = read(corpus, "gcc_dump", "values")
        graph = int.from_bytes(dump[:2], "little")
        self.keys = {"seed.gcno": dump[2:2 + graph], "seed.profile": dump[2 + graph:]}
        os.mkdir(folder)
        self.write(folder, "values")
        outputs = [f"--to={f}={folder}/{f}" for f in PROFILES]
        subprocess.run([softlbr, "convert", "-b", f"{folder}/seed", "-p", f"{folder}/data", "--force", *outputs],
                       capture_output=True, check=False)
        self.profiles = {f: read(folder, f) for f in PROFILES}
        self.counters = [read(corpus, "gcda", name) for name in ("converted", "values")]

    def write(self, folder, recording):
        os.mkdir(f"{folder}/keys")
        files = {"seed": self.program, "data": self.recordings[recording],
                 **{"keys/" + name: data for name, data in self.keys.items()}}
        for name, data in files.items():
            write(f"{folder}/{name}", data)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


# Of each kind of input, commands; @ is the folder.
CONVERT = "convert -b @/seed -p @/data --to gcov=@/o1 --to fdata=@/o2 --to llvm-extbinary=@/o3 --to preagg=@/o4"
COUNTERS = "convert -b @/seed -p @/data --keys @/keys --to gcda=@/o1"
COMMON = (
    CONVERT, CONVERT + " --smooth=mcf --llvm-symbols", CONVERT + " --ip-samples", COUNTERS,
    "report -b @/seed @/data --html=@/o1 --to folded=@/o2 --to speedscope=@/o3",
    "report -b @/seed @/data --view=source,assembly,graph,stacks,branches,paths",
    "show -b @/seed @/data --by functions,lines,branches,ranges,modules",
    "check -b @/seed @/data",
    "merge -b @/seed -o @/o1 @/data @/data",
    "diff -b @/seed @/data @/data --html=@/o1",
)
COMMANDS = {
    "recording": COMMON + (
        "show @/data", "show --json @/data", "show -b @/seed @/data --by values,arguments",
        "report -b @/seed @/data --view=latency,events,misprediction", "convert --all --output-dir @/o1 -p @/data --to preagg"),
    "program": COMMON,
    "keys": (COUNTERS, COUNTERS, "check -b @/seed --keys @/keys @/data"),
    "profile": ("show @/profile", "show -b @/seed @/profile", "merge -o @/o1 @/profile @/profile",
                "update --old-binary @/seed --new-binary @/seed --old-source @ --new-source @ -o @/o1 @/profile",
                "diff -b @/seed @/profile @/data", "check -b @/seed @/profile", "diff @/profile @/profile"),
    "counters": ("show @/c.gcda", "show --keys @/keys @/c.gcda", "check @/c.gcda", "check --keys @/keys @/c.gcda",
                 "diff @/c.gcda @/c.gcda", "merge -o @/o.gcda @/c.gcda @/c.gcda", "merge -w 7 -o @/o.gcda @/c.gcda",
                 "update --old-keys @/keys --new-keys @/keys -o @/o.gcda @/c.gcda"),
}


def damaged(rnd, inputs, folder):
    """Writes all inputs into @folder, one of them damaged; which kind it is."""
    name = rnd.choice(RECORDINGS)
    inputs.write(folder, name)
    kind = rnd.choices(list(COMMANDS), (6, 7, 3, 2, 2))[0]
    if kind == "recording":
        write(f"{folder}/data", damage_recording(rnd, inputs.recordings[name]))
    elif kind == "program":
        write(f"{folder}/seed", damage_program(rnd, inputs.program))
    elif kind == "counters":
        data = rnd.choice(inputs.counters)
        write(f"{folder}/c.gcda", damage_bytes(rnd, data, rnd.choice((1, 2, 5)), fixed=rnd.random() < 0.8))
    else:
        these = inputs.keys if kind == "keys" else inputs.profiles
        path = rnd.choice(list(these))
        is_text = path not in ("seed.gcno", "gcov", "llvm-extbinary")
        data = damage_text(rnd, these[path]) if is_text and rnd.random() < 0.7 else damage_bytes(
            rnd, these[path], rnd.choice((1, 2, 5)))
        write(f"{folder}/keys/{path}" if kind == "keys" else f"{folder}/profile", data)
    return kind


def run(softlbr, inputs, folder, number):
    """(kind, status, what is wrong or None, the line)"""
    rnd = random.Random(number)
    os.mkdir(folder)
    kind = damaged(rnd, inputs, folder)
    command = rnd.choice(COMMANDS[kind])
    force = rnd.random() < 0.6 and command.startswith(("convert", "merge", "check"))
    words = [softlbr, *command.replace("@", folder).split(), *["--force"] * force]
    before = set(os.listdir(folder))
    try:
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
                              check=False, env={**os.environ, **SANITIZERS, "DEBUGINFOD_URLS": ""})
    except subprocess.TimeoutExpired:
        return kind, "-", "hangs", " ".join(words)
    made = set(os.listdir(folder)) - before
    said = done.stderr.decode(errors="replace")
    wrong = None
    if done.returncode < 0 or done.returncode == 99 or "runtime error:" in said or "Sanitizer" in said:
        wrong = "crashes"
    elif done.returncode not in GOOD + BAD or (done.returncode in BAD and not said + done.stdout.decode(errors="replace")):
        wrong = "statuses"
    elif any(".tmp-" in name for name in made) or (done.returncode in BAD and made and not force):
        wrong = "half-written"
    return kind, done.returncode, wrong, f"{' '.join(words)}\n{said[-1500:]} {sorted(made)}"


def main():
    softlbr, corpus, folder = sys.argv[1:4]
    first, runs, jobs = map(int, sys.argv[4:])
    inputs = Inputs(softlbr, corpus, f"{folder}/whole")
    seen = collections.Counter()
    attack = Attack("damaged inputs of whole commands")

    def one(number):
        of_run = f"{folder}/{number}"
        result = run(softlbr, inputs, of_run, number)
        if runs > 1:
            shutil.rmtree(of_run)
        return number, result

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, (kind, status, wrong, said) in pool.map(one, range(first, first + runs)):
            seen[kind, status] += 1
            attack.ran(wrong, f"run {number}, {kind}, status {status}: {said}")
    for kind in COMMANDS:
        print(f"{kind:10}", ", ".join(f"{n} of status {s}" for (k, s), n in sorted(seen.items(), key=str) if k == kind))
    return attack.end()


sys.exit(main())
