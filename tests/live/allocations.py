#!/usr/bin/env python3
"""Out of memory is never a good end: single allocations fail, and all from one on, over whole commands.

usage: allocations.py SOFTLBR-FULL LIBRARY FOLDER POINTS

FOLDER has loop, loop.data (tests/cases/inputs.sh), and gcc's keys of the former. Each command runs POINTS times, at points that are spread evenly over
its allocations: it ends with the bytes that it makes with all memory, or with an error (status 1 and a message), and
then there is no output. Deaths by a signal within libdw, which aborts where it gets no memory, are counted apart.
"""
import glob, os, shutil, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from figures import Attack


def main():
    softlbr, library, folder, points = *sys.argv[1:4], int(sys.argv[4])
    os.chdir(folder)
    data, out = "loop.data", "out"
    commands = {
        "convert": ["convert", "-b", "loop", "-p", data, "--force"] + [
            f"--to={f}={out}/{f}" for f in ("gcov", "llvm-text", "llvm-extbinary", "fdata", "preagg")],
        "counters": ["convert", "-b", "loop", "-p", data, "--force", "--keys", "keys", f"--to=gcda={out}/counters"],
        "show": ["show", data],
        "show --json": ["show", "--json", data],
        "report": ["report", f"--html={out}/html", "--to", f"folded={out}/folded", data],
        "check": ["check", "-b", "loop", data],
        "diff": ["diff", "-b", "loop", data, data],
        "update": ["update", "--old-source", "old", "--new-source", "new", "-o", f"{out}/updated", "old.prof"],
        "merge": ["merge", "-b", "loop", "-o", f"{out}/merged", data, data],
    }

    def run(command, **variables):
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        environment = dict(os.environ, LD_PRELOAD=library, DEBUGINFOD_URLS="", **variables)
        done = subprocess.run([softlbr] + command, env=environment, capture_output=True, timeout=120)
        return done, {
            path: open(path, "rb").read() for path in glob.glob(out + "/**", recursive=True) if os.path.isfile(path)}

    wrong, died, ran = [], 0, 0
    for name, command in commands.items():
        good, files = run(command, FAIL_COUNT="count")
        assert good.returncode in (0, 5), (name, good)
        total, failed = int(open("count").read()), 0
        for i in range(points):
            at = 8 + i * (total - 7) // points  # the first ones are before main()
            variables = {"FAIL_AT": str(at)}
            if i % 3 == 2:
                variables["FAIL_ON"] = "1"
            done, made = run(command, **variables)
            ran += 1
            failed += done.returncode == 1
            if done.returncode < 0:
                died += 1
            elif done.returncode == good.returncode:
                if (done.stdout, made) != (good.stdout, files):
                    wrong.append(f"{name}: allocation {variables}: status {done.returncode}, and other bytes")
            elif done.returncode != 1 or not done.stderr or made:
                wrong.append(f"{name}: allocation {variables}: {done.returncode}, {sorted(made)}, {done.stderr[-200:]}")
        print(f"{name:12} {total} allocations, {points} points, {failed} errors")
        assert failed, f"{name}: nothing failed"
    attack = Attack("single allocations that fail")
    attack.runs, attack.said = ran, wrong
    attack.found.update(crashes=died, statuses=len(wrong))
    assert died <= ran // 20, f"a signal ends {died} of {ran}"
    return attack.end()


sys.exit(main())
