#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh: what is committed in this folder, made again by gcc-11 and gcc-12: the .gcno file and the dump of each
# form, and the input of the fuzz target gcc_dump, a small one of each, one after the other.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# a .gcno file names the directory
work=/tmp/forms
rm -rf $work
cp -r "$here" $work
cd $work
keys="-g -no-integrated-cpp -fprofile-update=single -fprofile-generate -ftest-coverage
  -fdump-ipa-profile-blocks-lineno-details-asmname"
for gcc in 11 12; do
  rm -rf $gcc "$here/$gcc"
  mkdir $gcc
  gcc-$gcc -O2 $keys -S forms.c -o $gcc/c.s
  g++-$gcc -O2 $keys -S forms.cc -o $gcc/cc.s
  rm $gcc/*.s
  cp -r $gcc "$here"
  echo 'int f(int *p, int n) { return n ? p[n % *p] : 0; }' >small.c
  gcc-$gcc -O1 $keys -S small.c
  # the size of the .gcno file, it, and of the dump what is looked at
  python3 - small.gcno small.c.*.profile >"$here/../../fuzz/corpus/gcc_dump/gcc-$gcc" <<'END'
import re, struct, sys
graph, dump = (open(name, "rb").read() for name in sys.argv[1:])
lines = [line for line in dump.splitlines(True) if re.match(rb"(;;|  (?!type|vis|def|ref|call)|[{}\n])", line, re.I)]
sys.stdout.buffer.write(struct.pack("<H", len(graph)) + graph + b"".join(lines))
END
  rm small.*
done
rm -rf $work
