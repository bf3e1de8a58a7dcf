#!/usr/bin/env python3
"""Files that are cut off while they are read: an error with the file's name, status 1, and nothing is left behind.

usage: cut_off.py SOFTLBR FOLDER

FOLDER has the program loop and loop.data, a recording of it (tests/cases/recording.py), of which one is made here that
takes a while to read. RUNS times each, at moments
spread over the time that the command takes alone, a copy of the recording, or of the program, is cut off. The command
ends well if it had read all by then, with the bytes that it makes alone; else with 1.
"""
import os, shutil, subprocess, sys, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
from recording import lengthen

RUNS, TIMES = 12, 400


def main():
    softlbr, folder = sys.argv[1:]
    os.chdir(folder)
    lengthen("loop.data", "big.data", TIMES)
    convert = [softlbr, "convert", "-b", "copy", "-p", "copy.data", "--to", "gcov=out", "--to", "fdata=out2", "--force"]
    commands = {
        "show": ([softlbr, "show", "copy.data"], "copy.data"),
        "convert": (convert, "copy.data"),
        "convert with a thread": (convert + ["--threads=1"], "copy.data"),
        "convert's program": (convert, "copy"),
        "report": ([softlbr, "report", "copy.data", "--html=out"], "copy.data"),
    }

    def renew():
        for path in "out", "out2":
            if os.path.exists(path):
                os.remove(path)
        shutil.copy("loop", "copy")
        shutil.copyfile("big.data", "copy.data")

    def ended(process):
        said = process.communicate(timeout=120)
        return process.returncode, *said, [open(p, "rb").read() for p in ("out", "out2") if os.path.exists(p)]

    def start(command):
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    wrong = []
    for name, (command, cut) in commands.items():
        renew()
        begun = time.monotonic()
        good = ended(start(command))
        seconds = time.monotonic() - begun
        assert good[0] in (0, 5), (name, good)
        errors = 0
        for i in range(RUNS):
            renew()
            process = start(command)
            time.sleep(seconds * (i + 1) / (RUNS + 2))
            os.truncate(cut, (0, 1000, 8000, os.path.getsize(cut) // 2, os.path.getsize(cut) - 9)[i % 5])
            status, out, err, made = ended(process)
            errors += status == 1
            if status == good[0] and (out, made) == (good[1], good[3]):
                continue
            if status == 3 and not made:  # it was cut off before it was opened
                continue
            if b"--force takes what is whole" in err:  # so it was, and it says so
                continue
            if status != 1 or cut.encode() + b" became shorter" not in err or made:
                wrong.append(f"{name}: {i}: {status}, {len(made)} files, {err[-200:]}")
        print(f"{name:22} {seconds:5.2f} s, {errors} of {RUNS} were errors", flush=True)
        if not errors:
            wrong.append(f"{name}: no run was cut off while it read")
    left = set(os.listdir(".")) - {"loop", "loop.data", "copy", "big.data", "copy.data", "out", "out2", "err"}
    assert not wrong and not left, "\n".join(wrong + sorted(left))


main()
