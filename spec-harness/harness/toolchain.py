# SPDX-License-Identifier: MIT
"""Compilers, and the flags of every build that the experiments compare."""
import dataclasses
import glob
import os
import re
import shutil
import subprocess

from .store import Skipped, StepFailed

# What -fauto-profile switches on besides reading a profile, as far as it works without one: with these
# alone a program is the honest control of a build with a profile.
GCC_CONTROL = (
    "-fprofile-correction -funroll-loops -fpeel-loops -ftracer -finline-functions -fipa-cp "
    "-fipa-cp-clone -fipa-bit-cp -fpredictive-commoning -fsplit-loops -funswitch-loops "
    "-fgcse-after-reload -ftree-loop-vectorize -ftree-slp-vectorize -fversion-loops-for-strides "
    "-ftree-loop-distribution -ftree-loop-distribute-patterns -floop-interchange "
    "-floop-unroll-and-jam")
GCC_COST_MODEL = "-fvect-cost-model=very-cheap"
GCC_BASE = "-O2 -g"
# Each token of a macro's expansion has a column of its own only if the preprocessor runs by itself, and gcc's
# graphs differ with and without: all builds that share counters have it.
COUNTERS_BASE = GCC_BASE + " -no-integrated-cpp"
# What prints the keys of counters; nothing of it changes the graph.
COUNTERS_KEYS = "-fprofile-generate -ftest-coverage -fdump-ipa-profile-blocks-lineno-details-asmname"
BOLT_INPUT = "-O2 -g -fno-reorder-blocks-and-partition"
CLANG_BASE = "-O2 -gline-tables-only -fdebug-info-for-profiling"
CLANG_USE = CLANG_BASE + " -fprofile-sample-use=%s -mllvm -sample-profile-use-profi"


@dataclasses.dataclass
class Toolchain:
    cc: str
    cxx: str

    def version(self):
        done = subprocess.run([self.cc, "--version"], stdout=subprocess.PIPE, text=True)
        return done.stdout.splitlines()[0]


# The versions that were asked for: "gcc", "clang" or "llvm-bolt" -> a number.
wanted = {}


def suffixes(tool, usual):
    """What ends the tool's names, in the order in which they are looked for."""
    return ("-%d" % wanted[tool],) if tool in wanted else usual


def find(candidates):
    for name in candidates:
        path = shutil.which(name)
        if path:
            return path
    return None


def gcc():
    for suffix in suffixes("gcc", ("-12", "")):
        if shutil.which("gcc" + suffix) and shutil.which("g++" + suffix):
            return Toolchain("gcc" + suffix, "g++" + suffix)
    raise Skipped("no gcc%s and g++ of that version here" % suffixes("gcc", ("",))[0])


def gcc_major(toolchain):
    done = subprocess.run([toolchain.cc, "-dumpversion"], stdout=subprocess.PIPE, text=True)
    return done.stdout.strip().split(".")[0]


def autofdo_flags(profile):
    """gcc 12 divides by zero in its vectorizer if a profile has zero counts and the cost model is the one that
    -fauto-profile implies."""
    older = int(gcc_major(gcc())) <= 12
    return "-fauto-profile=%s%s" % (profile, " " + GCC_COST_MODEL if older else "")


def clang():
    for suffix in suffixes("clang", ("-16", "-19", "-14", "")):
        if shutil.which("clang" + suffix) and shutil.which("clang++" + suffix):
            return Toolchain("clang" + suffix, "clang++" + suffix)
    raise Skipped("no clang%s here" % suffixes("clang", ("",))[0])


def llvm_profdata(toolchain):
    suffix = toolchain.cc.replace("clang", "")
    path = find(["llvm-profdata" + suffix, "llvm-profdata"])
    if not path:
        raise Skipped("no llvm-profdata%s here" % suffix)
    return path


def bolt():
    path = find(["llvm-bolt" + suffix for suffix in suffixes("llvm-bolt", ("-19", "-16", ""))])
    if not path:
        raise Skipped("no llvm-bolt%s here" % suffixes("llvm-bolt", ("",))[0])
    return path


def _run_bolt(words):
    """What llvm-bolt printed. A function that it can't move (computed jumps) it names: again without that one."""
    # By its real name: it looks for its runtime library beside itself.
    done = subprocess.run([os.path.realpath(bolt())] + words, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    unmovable = re.search(r"in function ([^ /]+)\S*\. Consider adding this function to --skip-funcs",
                          done.stdout)
    if unmovable and not any(word.startswith("-skip-funcs") for word in words):
        return _run_bolt(words + ["-skip-funcs=%s(/.*)?" % re.escape(unmovable.group(1))])
    if done.returncode:
        raise StepFailed("llvm-bolt: %s" % (done.stdout.strip().splitlines() or ["no message"])[-1])
    return done.stdout


def optimize_layout(binary, fdata, output):
    """llvm-bolt on the binary, with a profile or (None) without; the share of taken branches that it says
    are gone, in per cent."""
    text = _run_bolt([binary, "-o", output, "-reorder-blocks=ext-tsp", "-reorder-functions=hfsort",
                      "-split-functions", "-split-all-cold", "-dyno-stats"] +
                     (["-data", fdata] if fdata else []))
    for line in text.splitlines():
        if "taken branches" in line and "(" in line:
            return {"taken_branches": line[line.index("(") + 1:line.index("%")]}
    return {}


def instrument_layout(binary, output, counts):
    """A program that counts its branches, to files that begin with counts."""
    _run_bolt([binary, "-o", output, "-instrument", "-instrumentation-file=" + counts,
               "-instrumentation-file-append-pid"])


def merge_layout_counts(directory, pattern, output):
    merge = os.path.join(os.path.dirname(os.path.realpath(bolt())), "merge-fdata")
    files = sorted(glob.glob(os.path.join(directory, pattern)))
    if not files:
        raise StepFailed("llvm-bolt -instrument: the program left no counts")
    done = subprocess.run([merge] + files, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise StepFailed("merge-fdata: status %d" % done.returncode)
    with open(output, "wb") as file:
        file.write(done.stdout)
