# SPDX-License-Identifier: MIT
"""gcc with a log: recipes and packages switch warnings off (-w), and what gcc says of a profile with them."""
import collections
import dataclasses
import glob
import os
import stat

from .softlbr import fresh
from .toolchain import Toolchain

# Nothing is printed where gcc is content: neither configure nor make sees other warnings in one build than in
# another. gcc asked for its version or its settings has no source, and says what it says.
SCRIPT = """#!/bin/sh
out= source= calm= before=
for word; do
  shift
  [ "$before" != -o ] || out=$word
  before=$word
  case $word in
    -w) calm=-Wno-error && continue ;;
    *.c | *.cc | *.cpp | *.cxx | *.C) source=${{word##*/}} ;;
  esac
  set -- "$@" "$word"
done
[ "$source" ] || exec {tool} "$@"
out=${{out:-${{source%.*}}.o}}
case $out in /*) ;; *) out=$PWD/$out ;; esac
log='{directory}'/$(printf %s "$out" | sed 's,/\\.\\./,/^/,g; s,/,#,g')
{tool} "$@" $calm -Wmissing-profile -Wno-error=coverage-mismatch 2>"$log" && exit
status=$?
cat "$log" >&2
exit $status
"""
KINDS = {"missing": "[-Wmissing-profile]", "mismatched": "[-Wcoverage-mismatch]"}


@dataclasses.dataclass
class Logged(Toolchain):
    log: str  # a directory with what the compiler said of each object
    real: Toolchain

    def version(self):
        return self.real.version()

    def warnings(self, is_counted):
        """Kind -> number of warnings, of those objects (by their path with # for /) that count."""
        found = collections.Counter({kind: 0 for kind in KINDS})
        for path in glob.glob(os.path.join(glob.escape(self.log), "*")):
            if is_counted(os.path.splitext(os.path.basename(path))[0]):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text = file.read()
                for kind, mark in KINDS.items():
                    found[kind] += text.count(mark)
        return dict(found)


def logged(compiler, directory):
    """The compiler with its log, both below a directory; the log is begun anew."""
    log = fresh(os.path.join(directory, "log"))
    paths = []
    for name, tool in (("cc", compiler.cc), ("c++", compiler.cxx)):
        paths.append(os.path.join(directory, name))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(SCRIPT.format(tool=tool, directory=log))
        os.chmod(paths[-1], os.stat(paths[-1]).st_mode | stat.S_IXUSR)
    return Logged(*paths, log, compiler)
