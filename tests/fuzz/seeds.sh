#!/bin/sh
# SPDX-License-Identifier: MIT
# seeds.sh SOFTLBR: makes the inputs of the corpora again that are real ones of a small program: what `record` writes
# (recorded-*), the program itself, gcc's graph and dump of it, gcc's counters with values, and those that convert makes.
set -eu
from=$(dirname "$(realpath "$1")")
corpus=$(cd "$(dirname "$0")/corpus" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# recordings name the files that were mapped: none of whoever makes them
mkdir bin
cp -L "$from/softlbr" "$from/softlbr-full" "$from/libsoftlbr-collector.so.0" bin
softlbr=$work/bin/softlbr

cat >seed.c <<'END'
#include <stdlib.h>
#include <string.h>

static char from[64], to[64];

static unsigned often(unsigned x)
{
	return x ^ x >> 3;
}

static unsigned seldom(unsigned x)
{
	return x + 5;
}

__attribute__((noinline)) static unsigned step(unsigned (*f)(unsigned), unsigned x, unsigned by, size_t bytes)
{
	memcpy(to, from, bytes);
	if (x % 3 == 0)
		x += often(x) / by;
	return f(x) + (unsigned)to[x % 64];
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, sum = 0;

	for (unsigned i = 0; i < rounds; i++)
		sum += step(i * 7 % 10 ? often : seldom, i, i * 13 % 20 ? 64 : 7, i * 7 % 10 ? 16 : 37);
	return sum == 1;
}
END
"$softlbr" gcc-keys -o keys --root="$work" -- gcc-12 -O2 -g -no-integrated-cpp -c seed.c -o seed.o 2>said || cat said
gcc-12 -Wl,-z,noseparate-code seed.o -o seed

# record NAME OPTION...: a tenth of a second of processor time, in a few KB
record() {
  name=$1
  shift
  "$softlbr" record -q -o "$name" "$@" -- ./seed 20000000
}
record values --values=8 -c 20ms -n 16
record weights --timer-correction=probe -c 30ms -n 64
record stacks --stack-copy=1 -c 40ms -n 8
record times --times=4 -c 30ms -n 16
record many --values -c 1ms -n 256
"$softlbr" convert --binary seed --profile many --keys keys --to gcda=converted 2>said || cat said

gcc-12 -O2 -g -fprofile-generate seed.c -o generating
./generating 1000

for name in values weights stacks times; do
  cp $name "$corpus/perfdata/recorded-$name"
  chmod 644 "$corpus/perfdata/recorded-$name"
done
cp seed "$corpus/elf/recorded"
cp keys/seed.gcno "$corpus/gcno/values"
cp generating-seed.gcda "$corpus/gcda/values"
cp "$(find converted -name '*.gcda')" "$corpus/gcda/converted"
# the size of the graph in two bytes, the graph, the dump
python3 - keys/seed.gcno keys/seed.profile >"$corpus/gcc_dump/values" <<'END'
import sys

graph, dump = (open(name, "rb").read() for name in sys.argv[1:])
sys.stdout.buffer.write(len(graph).to_bytes(2, "little") + graph + dump)
END
