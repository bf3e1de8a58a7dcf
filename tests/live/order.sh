#!/bin/bash
# SPDX-License-Identifier: MIT
# order.sh SOFTLBR: orders of functions, of exact counts, as linkers take them: what calls each other often is together in
# the program then, and it prints the same.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs gcc valgrind nm
cd "$work"

cat >program.c <<'END'
#include <stdio.h>
static volatile unsigned sum;
__attribute__((noinline)) void rare(void) { sum += 7; }
__attribute__((noinline)) unsigned leaf(unsigned x) { for (int i = 0; i < 20; i++) x = x * 31 + 7; return x; }
__attribute__((noinline)) void never(void) { sum += 9; }
__attribute__((noinline)) unsigned middle(unsigned x) { return leaf(x) ^ leaf(x + 1); }
__attribute__((noinline)) void start(void) { for (int i = 0; i < 1000; i++) sum += i; }
__attribute__((noinline)) unsigned other(unsigned x) { return x * 3 + sum; }
int main(int argc, char **argv)
{
	unsigned s = 0;
	if (argc > 2)
		never();
	rare();
	start();
	for (unsigned i = 0; i < (argc > 1 ? 10000000 : 20000); i++) {
		s += middle(i);
		if (i % 64 == 0)
			s ^= other(i);
	}
	return printf("%u\n", s) < 0;
}
END

# build OUTPUT OPTION...
build() { gcc -O2 -g -ffunction-sections program.c -o "$@"; }

# in_order PROGRAM NAME...: do these stand so, with nothing of ours in between?
in_order() {
  local program=$1
  shift
  nm -n "$program" | awk '$2 ~ /[tT]/ && $3 ~ /^(main|rare|leaf|never|middle|start|other)$/ { print $3 }' >placed
  grep -qzF "$(printf '%s\n' "$@")" placed || fail "$program: $(tr '\n' ' ' <placed), not $*"
}

build program
./program >right
valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --callgrind-out-file=counts ./program >out 2>err
"$softlbr" convert --binary program --profile counts --to order=order --to call-graph=calls --to gold-sections=sections 2>err ||
  fail "status $?"
grep -q 'symbol-ordering-file=order' err || fail "no advice"
printf '%s\n' main middle leaf >hot
grep -v '^#' order | grep -xF -f hot | diff hot - || fail "$(cat order)"
grep -qx 'main middle 20000' calls && grep -qx 'middle leaf 40000' calls && grep -qx 'main other 313' calls || fail "$(cat calls)"
! grep -q never order || fail "it did not run: $(cat order)"
[ "$(sed -n 's/^\.text\.//p' sections | grep -vE '^(hot|startup|unlikely)\.')" = "$(grep -v '^#' order)" ] || fail "sections: $(cat sections)"

# over files of their own, and no others
"$softlbr" convert --binary program --profile counts --to order=calls 2>err || fail "status $?"
status=0
"$softlbr" convert --binary program --profile counts --to order=program.c 2>err || status=$?
[ $status = 2 ] && grep -q 'an order file' err || fail "over a source: $status"
status=0
"$softlbr" convert --binary program --profile counts --to order=started --order=startup 2>err || status=$?
[ $status = 3 ] && grep -q 'ran first' err && [ ! -e started ] || fail "counts have no times: $status"

linked=
for linker in lld gold; do
  command -v "ld.$linker" >/dev/null || continue
  option=--no-warn-symbol-ordering,--symbol-ordering-file=order
  [ $linker = lld ] || option=--section-ordering-file=sections
  build by-$linker -fuse-ld=$linker -Wl,$option
  in_order by-$linker $(grep -v '^#' order | grep -xE 'main|rare|leaf|middle|start|other')
  ./by-$linker | cmp - right || fail "another output"
  linked=yes
done
if command -v ld.lld >/dev/null; then
  "$softlbr" convert --binary program --profile counts --to call-graph=calls --force 2>err || fail "status $?"
  build by-calls -fuse-ld=lld -Wl,--no-warn-symbol-ordering,--call-graph-ordering-file=calls
  in_order by-calls main middle leaf
fi
[ "$linked" ] || skip_part "no ld.lld and no ld.gold"

if "$softlbr" record -o data -- ./program long >out 2>err; then
  status=0
  "$softlbr" convert --binary program --profile data --to order=started --order=startup --force 2>err || status=$?
  [ $status = 0 ] || [ $status = 5 ] || fail "of a recording: $status"
  grep -qx leaf started || fail "$(cat started)"
else
  skip_part "this machine can't record"
fi
