#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""services.py SOFTLBR [--rounds N] [--seconds S] [--services NAMES] [--json FILE]: what services notice of being recorded.

Starts PostgreSQL, nginx, PHP-FPM, gunicorn and redis (those that are installed) on loopback, under load of so many
requests a second, attaches `softlbr record -p MASTER` by its default options, and prints for each

  - two recordings of --record seconds: processes of how many, samples of those that CPU time and period give, and how
    far the branches of the most executed module agree;
  - N alternations, S seconds each, of plain and recorded service, in quads (plain, recorded, recorded, plain): CPU time
    of the service and the recorder for each request, and the 99th percentile of latency: median of the rounds' ratios
    with its 95 % interval;
  - CPU time once more, beside two busy loops;
  - by callgrind, how far branches of the first recording's master program agree with exact counts of the same load.

Needs root, and build/benchmarks/load (cmake --build build --target load).
"""
import argparse
import contextlib
import json
import math
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import section

TICK = os.sysconf("SC_CLK_TCK")
CONNECTIONS = 8
COUNTED_PART = 0.02  # of the requests, under callgrind
PHP = """<?php
$words = [];
for ($i = 0; $i < 400; $i++) { $w = md5("$i"); $words[substr($w, 0, 2)][] = strrev($w); }
ksort($words);
$text = json_encode(array_map('count', $words)) . "end";
header('Content-Length: ' . strlen($text));
echo $text;
"""
SSI = """<p><!--# set var="a" value="$remote_addr x" --><!--# if expr="$a = /127/" -->one<!--# else -->two<!--# endif -->
<!--# echo var="a" --> of <!--# echo var="request_uri" --></p>
""" * 40
PYTHON = """
import json
def application(environ, start_response):
    data = {str(i): [i * j % 7 for j in range(12)] for i in range(60)}
    text = json.dumps(sorted(json.loads(json.dumps(data)).items())).encode() + b"end"
    start_response("200 OK", [("Content-Length", str(len(text)))])
    return [text]
"""
HTTP = ("GET /page HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", "HTTP/1.1 200", "end")
REDIS = ("SET key value\\r\\nINCR counter\\r\\nLRANGE list 0 99\\r\\nZRANGE set 0 40\\r\\nPING\\r\\n", "+OK", "+PONG\\r\\n")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(what):
    for _ in range(1200):
        if what():
            return
        time.sleep(0.05)
    sys.exit("services.py: a service does not start, or end")


def group_exists(group):
    try:
        os.killpg(group, 0)
        return True
    except ProcessLookupError:
        return False


def answers(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def write(path, text):
    Path(path).write_text(text, encoding="utf-8")
    return path


def spawn(command, **options):
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, **options)


class Service:
    """A running service: its master's process, its port, what its load is."""

    rate = 0  # requests a second
    programs = ()
    generator = None  # load.c's program
    can_be_counted = True  # callgrind runs it
    end = signal.SIGTERM

    def __init__(self, directory, wrapper=()):
        self.directory = directory
        self.wrapper = wrapper  # what runs the master's command
        self.port = free_port()
        self.processes = []
        self.start()
        self.master = self.processes[-1].pid
        wait_for(lambda: answers(self.port))
        self.prepare()

    def prepare(self):
        """What is to be done before the first request"""

    def start(self):
        raise NotImplementedError

    def stop(self):
        """May be called again."""
        for process in reversed(self.processes):
            process.send_signal(self.end)
            process.wait()
            wait_for(lambda group=process.pid: not group_exists(group))

    def load(self, seconds, part=1):
        """The command that prints what load.c prints; a part of the requests."""
        page, begin, end = self.request()
        return [self.generator, str(self.port), str(CONNECTIONS), str(self.rate * part), str(seconds), page, begin, end]

    def request(self):
        return HTTP

    def read_load(self, text):
        return json.loads(text)


class Nginx(Service):
    rate = 2500
    programs = ("nginx",)
    locations = "root {directory}; default_type text/html; ssi on;"

    def request(self):
        return HTTP[0], HTTP[1], "0\\r\\n\\r\\n"

    def start(self):
        os.chmod(self.directory, 0o777)
        write(self.directory / "page", SSI)
        conf = write(self.directory / "conf", """
daemon off; worker_processes 4; pid %s/pid; error_log stderr; events { worker_connections 64; }
http { access_log off; keepalive_requests 1000000000; server { listen 127.0.0.1:%d; location / { %s } } }
""" % (self.directory, self.port, self.locations.format(directory=self.directory)))
        self.processes.append(spawn([*self.wrapper, "nginx", "-c", str(conf), "-p", str(self.directory)]))


class PhpFpm(Nginx):
    """nginx before it is not recorded."""

    rate = 600
    programs = ("nginx", "php-fpm*")
    locations = ("fastcgi_pass unix:{directory}/php; fastcgi_param SCRIPT_FILENAME {directory}/page.php; "
                 "fastcgi_param REQUEST_METHOD GET;")

    def request(self):
        return HTTP

    def start(self):
        wrapper, self.wrapper = self.wrapper, ()
        super().start()
        self.wrapper = wrapper
        write(self.directory / "page.php", PHP)
        conf = write(self.directory / "fpm", """
[global]
error_log = %s/fpm.log
daemonize = no
process_control_timeout = 30s
[www]
user = www-data
listen = %s/php
listen.mode = 0666
pm = static
pm.max_children = 4
""" % (self.directory, self.directory))
        self.processes.append(spawn([*self.wrapper, find(self.programs[1]), "-y", str(conf)]))
        wait_for((self.directory / "php").exists)


class Gunicorn(Service):
    rate = 400
    programs = ("gunicorn",)

    def start(self):
        write(self.directory / "app.py", PYTHON)
        self.processes.append(spawn([*self.wrapper, "gunicorn", "--workers", "3", "--bind", "127.0.0.1:%d" % self.port, "app"],
                                    cwd=self.directory))


class Redis(Service):
    rate = 500
    can_be_counted = False  # its I/O threads spin
    programs = ("redis-server",)

    def start(self):
        self.processes.append(spawn([*self.wrapper, "redis-server", "--port", str(self.port), "--io-threads", "4", "--save", ""]))

    def prepare(self):
        commands = ["RPUSH list %d" % i for i in range(100)] + ["ZADD set %d m%d" % (i * 7 % 100, i) for i in range(100)]
        with socket.create_connection(("127.0.0.1", self.port)) as s:
            s.sendall("".join(c + "\r\n" for c in commands).encode())
            got = b""
            while got.count(b"\r\n") < len(commands):
                got += s.recv(4096)

    def request(self):
        return REDIS


class PostgreSQL(Service):
    rate = 4000
    can_be_counted = False  # its processes share memory by spinlocks
    programs = ("pgbench", "/usr/lib/postgresql/*/bin/postgres")
    user = "postgres"
    end = signal.SIGINT  # without waiting for clients

    def start(self):
        os.chmod(self.directory, 0o777)
        self.tools = Path(find(self.programs[1])).parent
        self.data = self.directory / "data"
        subprocess.run([self.tools / "initdb", "-D", self.data, "-A", "trust"], user=self.user, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        self.processes.append(spawn([self.tools / "postgres", "-D", self.data, "-p", str(self.port), "-c", "fsync=off", "-c",
                                     "unix_socket_directories=" + str(self.directory)], user=self.user, cwd="/"))

    def pgbench(self, *options):
        return ["pgbench", "-h", str(self.directory), "-p", str(self.port), "-U", self.user, *options, "postgres"]

    def prepare(self):
        wait_for(lambda: subprocess.run(self.pgbench("-i", "-q", "-s", "10"), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, check=False).returncode == 0)

    def load(self, seconds, part=1):
        for log in self.directory.glob("bench*"):
            log.unlink()
        return self.pgbench("-n", "-S", "-c", str(CONNECTIONS), "-j", "2", "-R", str(self.rate), "-T", str(math.ceil(seconds)), "-l",
                            "--log-prefix=%s/bench" % self.directory)

    def read_load(self, text):
        latencies = sorted(int(line.split()[2]) for log in self.directory.glob("bench*") for line in log.open())
        failed = int(re.search(r"number of failed transactions: (\d+)", text)[1])
        return {"requests": len(latencies), "failed": failed, "p50": latencies[len(latencies) // 2],
                "p99": latencies[len(latencies) * 99 // 100]}


SERVICES = {"PostgreSQL": PostgreSQL, "nginx": Nginx, "PHP-FPM": PhpFpm, "gunicorn": Gunicorn, "redis": Redis}


def find(pattern):
    """The path of a program; None: it is not installed."""
    folders = [""] if pattern.startswith("/") else os.environ["PATH"].split(":") + ["/usr/sbin"]
    for folder in folders:
        for path in sorted(Path(folder or "/").glob(pattern.lstrip("/"))):
            return str(path)
    return None


def descendants(pid):
    """It and all that it started."""
    found = [pid]
    for parent in found:
        for task in Path("/proc/%d/task" % parent).glob("*/children"):
            found += [int(child) for child in task.read_text(encoding="utf-8").split()]
    return found


def cpu_seconds(pid):
    """Of a process, its descendants, and those that it waited for."""
    ticks = 0
    for process in descendants(pid):
        try:
            fields = Path("/proc/%d/stat" % process).read_text(encoding="utf-8").rpartition(")")[2].split()
        except FileNotFoundError:
            continue  # it ended: waited for
        ticks += sum(map(int, fields[11:13]))
        if process == pid:
            ticks += sum(map(int, fields[13:15]))
    return ticks / TICK


@dataclass
class Run:
    load: dict
    cpu: float  # seconds for each request, the recorder's included
    text: str  # what record said
    processes: int


def run(service, softlbr, seconds, output=None):
    """The service under load, recorded into the file."""
    before = cpu_seconds(service.master)
    with subprocess.Popen(service.load(seconds), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as load:
        time.sleep(0.3)
        text, recorder_cpu, processes = "", 0, len(descendants(service.master))
        if output:
            recorder = subprocess.Popen([softlbr, "record", "-p", str(service.master), "-v", "-o", output, "--duration=%gs" % (
                seconds - 0.6)], stderr=subprocess.PIPE, text=True)
            text = recorder.stderr.read()
            _, status, usage = os.wait4(recorder.pid, 0)
            recorder.returncode = os.waitstatus_to_exitcode(status)
            if recorder.returncode not in (0, 4):  # 4: a short recording of a service that computes little
                sys.exit("services.py: record: status %d: %s" % (recorder.returncode, text))
            recorder_cpu = usage.ru_utime + usage.ru_stime
        result = service.read_load(load.communicate()[0])
    time.sleep(0.3)  # processes of closed connections end
    spent = cpu_seconds(service.master) - before + recorder_cpu
    return Run(result, spent / result["requests"], text, processes)


@contextlib.contextmanager
def busy_loops(count):
    loops = [spawn(["timeout", "600", "sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            os.killpg(loop.pid, signal.SIGKILL)
            loop.wait()


@dataclass
class Ratios:
    """Of recorded to plain runs: CPU time for each request, the 99th percentile of latency; that of the plain ones."""

    cpu: list = field(default_factory=list)
    latency: list = field(default_factory=list)
    plain: list = field(default_factory=list)
    failed: int = 0


def interval(values):
    """Median, and what contains it in 95 of 100 cases (Hollander and Wolfe, the sign test's interval)."""
    values, n = sorted(values), len(values)
    rank = max(int(n / 2 - 0.98 * math.sqrt(n)), 0)
    return statistics.median(values), values[rank], values[n - 1 - rank]


def quads(service, softlbr, rounds, seconds, output):
    ratios = Ratios()
    for number in range(rounds):
        order = (None, output) if number % 2 == 0 else (output, None)
        runs = {o: run(service, softlbr, seconds, o) for o in order}
        ratios.cpu.append(runs[output].cpu / runs[None].cpu)
        ratios.latency.append(runs[output].load["p99"] / runs[None].load["p99"])
        ratios.plain.append(runs[None].load["p99"])
        ratios.failed += sum(r.load["failed"] for r in runs.values())
    return ratios


def mean_above(ratios):
    """By how much they are above 1, in percent, and the standard error."""
    return 100 * (statistics.mean(ratios) - 1), 100 * statistics.stdev(ratios) / math.sqrt(len(ratios))


def agreement(softlbr, binary, recordings):
    """Overlap of both recordings' branches in the file, in percent."""
    text = subprocess.run([softlbr, "diff", "--json", "--no-confidence", "--binary", binary, *recordings],
                          capture_output=True, text=True, check=True).stdout
    return 100 * json.loads(text)["scores"]["branch"]


def exact_counts(kind, directory, seconds):
    """Callgrind's files of the service's processes, from their start to their end behind its load."""
    directory.mkdir(mode=0o777)
    directory.chmod(0o777)
    service = kind(directory, ["valgrind", "-q", "--tool=callgrind", "--trace-children=yes", "--dump-instr=yes",
                               "--collect-jumps=yes", "--callgrind-out-file=%s/callgrind.%%p" % directory])
    try:
        subprocess.run(service.load(seconds, COUNTED_PART), stdout=subprocess.DEVNULL, check=True)
    finally:
        service.stop()
    return directory.glob("callgrind.*")


def true_overlap(softlbr, kind, binary, recording, directory):
    """Overlap of the recording's branches in the file with exact counts, in percent; nan: they can't be had."""
    if not kind.can_be_counted:
        return float("nan")
    directory.chmod(0o755)  # workers are other users
    exact = str(directory / "exact")
    files = ["%s,%d" % (file, weight) for weight, seconds in ((1, 24), (-1, 4))
             for file in exact_counts(kind, directory / str(seconds), seconds)]
    subprocess.run([softlbr, "merge", "--binary", binary, "-o", exact, *("--profile=" + file for file in files)], check=True,
                   stderr=subprocess.DEVNULL)
    return agreement(softlbr, binary, [recording, exact])


def said(pattern, text):
    found = re.search(pattern, text)
    return float(found[1]) if found else float("nan")


def samples_part(runs):
    """For what part of the time in user code samples stand, in the mean; and its standard error by their number."""
    parts = [said(r"stand for (\d+) %", r.text) for r in runs]
    samples = sum(said(r": (\d+) samples", r.text) for r in runs)
    part = statistics.mean(parts)
    return "%.0f +- %.0f" % (part, part / math.sqrt(samples))


def measure(service, softlbr, arguments, directory):
    """A row of the table."""
    recordings = [str(directory / ("%d.data" % i)) for i in range(2)]
    timed = str(directory / "timed.data")
    run(service, softlbr, 2)
    runs = [run(service, softlbr, arguments.record, output) for output in recordings]
    binary = os.readlink("/proc/%d/exe" % service.master)
    agree = agreement(softlbr, binary, recordings)
    failed = sum(r.load["failed"] for r in runs)
    alone = quads(service, softlbr, arguments.rounds, arguments.seconds, timed)
    with busy_loops(2):
        beside = quads(service, softlbr, max(arguments.rounds // 3, 2), arguments.seconds, timed)
    service.stop()
    exact = true_overlap(softlbr, type(service), binary, recordings[0], Path(tempfile.mkdtemp(dir=directory)))
    return [
        "%.0f of %d" % (said(r"(\d+) process", runs[0].text), runs[0].processes),
        samples_part(runs),
        "-" if math.isnan(exact) else "%.1f" % exact,
        "%.1f" % agree,
        "%.1f +- %.1f" % mean_above(alone.cpu),
        "%.1f +- %.1f" % mean_above(beside.cpu),
        "%.1f" % (statistics.median(alone.plain) / 1e3),
        "%.2f (%.2f to %.2f)" % interval(alone.latency),
        "%d" % (failed + alone.failed + beside.failed),
    ]


COLUMNS = ["service", "processes", "samples, % of user time", "overlap, exact counts, %",
           "overlap, two recordings, %", "CPU time added, %",
           "beside two busy loops, %", "p99 plain, ms", "p99 recorded / plain", "failed"]


TEXT = ("Services on loopback under bounded load (%d connections), attached at their master by `softlbr record -p` for %g s: "
        "how many of their processes are in, for how much of their time in user code the samples stand (with the standard error "
        "of their number), and the overlap of "
        "branches in the master's program, with callgrind's counts of such a load and of two recordings. Then %d alternations "
        "of %g s, plain and recorded: CPU time for each request, the recorder's included, and the 99th percentile of latency "
        "(median of the ratios, and what contains it in 95 of 100 cases; of fewer than six, the least and the most). Each "
        "alternation attaches anew.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("softlbr")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--record", type=float, default=20)
    parser.add_argument("--services", default=",".join(SERVICES))
    parser.add_argument("--load", help="the load generator")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    softlbr = os.path.realpath(arguments.softlbr)
    Service.generator = arguments.load or str(Path(softlbr).parent / "benchmarks" / "load")
    rows = []
    for name in arguments.services.split(","):
        kind = SERVICES[name]
        missing = [p for p in kind.programs if not find(p)]
        if missing:
            print("%s is skipped: no %s here" % (name, ", ".join(missing)))
            continue
        directory = Path(tempfile.mkdtemp())
        service = kind(directory)
        try:
            rows.append([name, *measure(service, softlbr, arguments, directory)])
        finally:
            service.stop()
            shutil.rmtree(directory, ignore_errors=True)
        print("\n".join("%-26s %s" % pair for pair in zip(COLUMNS, rows[-1])), flush=True)
    if arguments.json:
        text = TEXT % (CONNECTIONS, arguments.record, arguments.rounds, arguments.seconds)
        section.write(arguments.json, "Services", text, COLUMNS, rows, "benchmarks/services.py build/softlbr")


if __name__ == "__main__":
    main()
