#!/usr/bin/env python3
"""SIGKILL, SIGTERM, SIGHUP and SIGINT at random moments: no file is half one, none is lost, and programs go on.

usage: kills.py SOFTLBR FOLDER RUNS WAY...

FOLDER has loop, loop.data and short.data (tests/cases/inputs.sh), gcc's keys of the former, and the programs kills and
kills_at. Commands that write files get the signal at a random system call, mostly of the last ones, which write, and run
over files of another recording every second time; afterwards each is the old one or the new one, whole, and there is no
other, but for temporary files where SIGKILL left no time to remove them. Recordings (each WAY:
inside, outside, attached) can be read, the one before is kept, and what was recorded has its right result unless it got the
signal as well; nothing that was started is left.
"""
import collections, glob, os, random, shutil, signal, struct, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "cases")]
from figures import Attack
from recording import lengthen

SIGNALS = signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT
TURNS = "30000000"  # a third of a second
TIMES = 100  # loop.data, behind each other
SECONDS = 60  # what ends, does so within

OUTPUTS = {
    "convert": "convert -b loop -p @ --force --to gcov=out/gcov --to llvm-text=out/text --to llvm-extbinary=out/binary"
               " --to fdata=out/fdata --to preagg=out/preagg",
    "counters": "convert -b loop -p @ --force --keys keys --to gcda=out/counters",
    "report": "report --force --html=out/html --to folded=out/folded --to speedscope=out/speedscope --to pprof=out/pprof @",
    "merge": "merge -b loop --force -o out/merged @ @",
}
RECORDINGS = {
    "inside": "record -q -e task-clock -c 1ms --timer-correction=off -o data --",
    "outside": "record -q --ptrace -c 1ms --timer-correction=off -o data --",
    "attached": "record -q -c 1ms --timer-correction=off -o data -p",
}


def start(words, **more):
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, **more)


def files_of(folder):
    def read(path):
        with open(path, "rb") as file:
            return file.read()

    return {os.path.relpath(path, folder): read(path)
            for path in glob.glob(folder + "/**", recursive=True) if os.path.isfile(path)}


def becomes(condition):
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def ends(process):
    """Its status, or None."""
    try:
        return process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        return None


# ---- commands that write files --------------------------------------------------------------


class Outputs:
    def __init__(self, softlbr, name):
        self.words = [softlbr, *OUTPUTS[name].split()]
        self.new, self.calls = self.made("long.data")
        self.old, _ = self.made("short.data")
        assert self.new and set(self.new) == set(self.old), name

    def start(self, data, number, at):
        words = ["./kills_at", str(int(number)), str(at)] + [word.replace("@", data) for word in self.words]
        return start(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def made(self, data):
        """The files, and how many moments there are."""
        shutil.rmtree("out", ignore_errors=True)
        os.mkdir("out")
        process = self.start(data, 0, 0)
        said = process.communicate()[0].split()
        assert process.returncode in (0, 5), (process.returncode, self.words)
        return files_of("out"), int(said[-1])

    def end_one(self, rnd, number):
        before = self.made("short.data")[0] if rnd.random() < 0.5 else {}
        if not before:
            shutil.rmtree("out")
            os.mkdir("out")
        at = rnd.randrange(1, self.calls) if rnd.random() < 0.25 else rnd.randrange(self.calls * 7 // 10, self.calls)
        process = self.start("long.data", number, at)
        status = ends(process)
        now = files_of("out")
        left = [name for name in now if ".tmp-" in name]
        for name in left:
            del now[name]
        if status is None:
            process.kill()
            return "hangs", "does not end"
        if status not in (0, 5, 128 + number):
            return "statuses", f"status {status}"
        if left and number != signal.SIGKILL:
            return "half-written", f"left: {left}"
        half = [name for name, data in now.items() if data not in (self.new.get(name), before.get(name))]
        if half or set(before) - set(now):
            return "half-written", f"{half}, lost: {set(before) - set(now)}"
        if status in (0, 5) and now != self.new:
            return "half-written", "a good end, and not all files"
        return None, f"{'temporary files, ' * bool(left)}{len([n for n in now if now[n] == self.new[n]])} of {len(self.new)} new"


# ---- recordings -----------------------------------------------------------------------------


def of_token(token):
    """Processes that have it in their environment: who was started here."""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                if token.encode() in file.read():
                    found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return found


class Recordings:
    def __init__(self, softlbr, way):
        self.softlbr, self.way, self.recorders = softlbr, way, []
        self.words = [softlbr, *RECORDINGS[way].split()]
        begun = time.monotonic()
        self.expected = subprocess.run(["./kills", TURNS], capture_output=True, check=True).stdout
        self.seconds = time.monotonic() - begun

    def shown(self, path):
        return subprocess.run([self.softlbr, "show", path], capture_output=True, check=False)

    def end_one(self, rnd, number):
        shutil.rmtree("recorded", ignore_errors=True)
        os.mkdir("recorded")
        token = f"KILLS_TOKEN={os.getpid()}.{rnd.random()}"
        environment = {**os.environ, **dict([token.split("=")])}
        before = None
        if rnd.random() < 0.5:
            shutil.copy("loop.data", "recorded/data")
            before = files_of("recorded")["data"]
        program = None
        with open("recorded/out", "wb") as out, open("recorded/err", "wb") as err:
            if self.way == "attached":
                program = start(["../kills", TURNS], cwd="recorded", stdout=out, stderr=err, env=environment)
                recorder = start(self.words + [str(program.pid)], cwd="recorded", stdout=err, stderr=err, env=environment)
            else:
                recorder = start(self.words + ["../kills", TURNS], cwd="recorded", stdout=out, stderr=err, env=environment)
        self.recorders.append(recorder.pid)
        time.sleep(rnd.choice((0.1, 1.2)) * rnd.random() * self.seconds)
        recorder.send_signal(number)
        status = ends(recorder)
        if status is None or program and ends(program) is None or not becomes(lambda: not of_token(token)):
            left = of_token(token)
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            return "hangs", f"status {status}, left: {left}"
        if program and program.returncode:
            return "statuses", f"the program's status is {program.returncode}"
        if status not in (0, -number, 128 + number) + ((4, ) if program else ()) and (number, status) != (
                signal.SIGINT, 128 + signal.SIGTERM):
            return "statuses", f"status {status}"
        now = files_of("recorded")
        alone = program or status == 0 or number == signal.SIGKILL and b"begun" in now["err"]
        if now["out"] not in ((self.expected, ) if alone else (self.expected, b"")):
            return "statuses", f"the program's result is {now['out']}, not {self.expected}"
        left = [name for name in now if ".tmp-" in name]
        if left and number != signal.SIGKILL:
            return "half-written", f"left: {left}"
        if before and before not in (now.get("data"), now.get("data.old")):
            return "half-written", f"the recording before is lost: {sorted(now)}"
        if "data" not in now:
            return None, "no file"
        if number == signal.SIGKILL and struct.unpack_from("<QQ", now["data"], 40) == (len(now["data"]), 0):
            return None, "a header, nothing recorded by then"
        shown = self.shown("recorded/data")
        if shown.returncode not in (0, 4):
            return "half-written", f"can't be read: {shown.returncode}, {shown.stderr[-300:]}"
        return None, "read"

    def end(self):
        """Buffers of those that were killed are given back by the next recording."""
        subprocess.run([self.softlbr, "record", "-q", "-o", "next", "--", "true"], capture_output=True, check=False)
        return [path for pid in self.recorders for path in glob.glob(f"/dev/shm/softlbr-{pid}-*")]


def main():
    softlbr, folder, runs, *ways = sys.argv[1:]
    os.chdir(folder)
    lengthen("loop.data", "long.data", TIMES)
    jobs = {**{name: Outputs(softlbr, name) for name in OUTPUTS}, **{way: Recordings(softlbr, way) for way in ways}}
    attack, seen = Attack("signals at any moment"), collections.Counter()
    for i in range(int(runs)):
        rnd = random.Random(i)
        name = list(jobs)[i % len(jobs)]
        number = rnd.choice(SIGNALS)
        wrong, said = jobs[name].end_one(rnd, number)
        attack.ran(wrong, f"run {i}, {name}, {number.name}: {said}")
        seen[name, wrong or said] += 1
    for (name, said), n in sorted(seen.items()):
        print(f"{name:10} {n:4} {said}")
    for way in ways:
        left = jobs[way].end()
        assert not left, left
    return attack.end()


sys.exit(main())
