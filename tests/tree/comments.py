#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""comments.py: a file of ours that a comment of the product names is there.

Files of others are named as their projects have them: by OUTSIDE's folders, or by OUTSIDE_NAMES alone.
"""
import re
import subprocess
import sys
from pathlib import Path

import size

OUTSIDE = re.compile(r"(arch|bolt/include|fs|gcc|include/linux|include/uapi|kernel|libgcc|linux|llvm|mm|runtime|tools)/")
OUTSIDE_NAMES = {"DataAggregator.h", "PseudoProbe.h", "elf.h", "perf_regs.h", "ptrace.h", "seq_file.c", "sigcontext.h",
                 "tree-pretty-print.c"}
# of examples of debug information, gcc's dumps and fdata
EXAMPLES = {"a.c", "div.c", "name/file.c", "vec.h"}
COMMENT = re.compile(r"/\*.*?\*/", re.S)
FILE = re.compile(r"(?<![\w/.<-])(?:[\w-]+/)*[\w-]+\.[ch]\b")


def main():
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files"], cwd=size.ROOT, capture_output=True, text=True,
                            check=False).stdout.split() or [path.relative_to(size.ROOT).as_posix()
                                                            for path in size.ROOT.rglob("*.[ch]")]
    ends = {"/".join(Path(path).parts[-n:]) for path in listed for n in range(1, len(Path(path).parts) + 1)}
    named = missing = 0
    for path in sorted(path for folder in size.FOLDERS for path in (size.ROOT / folder).rglob("*.[ch]")):
        for comment in COMMENT.findall(path.read_text()):
            for name in FILE.findall(comment):
                named += 1
                if name in ends or OUTSIDE.match(name) or name in OUTSIDE_NAMES | EXAMPLES:
                    continue
                print(f"{path.relative_to(size.ROOT)}: a comment names {name}, which is not there")
                missing += 1
    print(f"{named} files are named in comments, {missing} are not there")
    sys.exit(missing > 0 or named < 100)


if __name__ == "__main__":
    main()
