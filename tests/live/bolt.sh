#!/bin/bash
# Exact counts (callgrind) through our converter to fdata: accepted whole by each llvm-bolt that is here,
# fewer taken branches, the same output of the optimized program, and record for record what
# perf2bolt makes of the same counts. usage: bolt.sh EDGES_TO_BOLT
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
edges_to_bolt=$(readlink -f "$1")

needs gcc g++ valgrind objdump python3
bolts=$(each llvm-bolt 16) || skip "llvm-bolt is not installed"

fail() {
	echo "FAILED: $*"
	status=1
}
status=0

# One spelling for both sides: local symbols without file and number (names are unique here), no
# offset of what is no symbol, and without the records that perf2bolt makes for jumps inside PLT
# stubs and to the resolver: llvm-bolt does not use them, and stubs are rewritten from their
# relocations anyway.
normalise() {
	sed -E 's#/[^ ]*##g; s/\[unknown\] [0-9a-fA-F]+/[unknown] 0/g' "$1" |
		grep -vE '^1 __BOLT_PSEUDO_|^1 ([^ ]*@PLT) [^ ]* 1 (__BOLT_PSEUDO_[^ ]*|\1) ' |
		tr A-F a-f | sort
}

# exact NAME ARGUMENT: counts of one run, and our files of them. valgrind 3.19 cannot read clang's
# DWARF 5, so that the program runs without its debug sections there.
exact() {
	cp "$1" "$1.run"
	strip -g "$1.run"
	valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no \
		--callgrind-out-file="$1.cg" "./$1.run" "$2" >"$1.expected" 2>"$1.valgrind"
	python3 "$oracles/exact_edges.py" "$1.cg" "$1.run" "$1.edges"
	"$edges_to_bolt" "$1" "$1.edges" "$1.fdata" "$1.preagg"
}

# optimize NAME ARGUMENT VERSION PERCENT
optimize() {
	local log=$1.bolt-$3.log down
	llvm-bolt-"$3" "$1" -data "$1.fdata" -o "$1.bolt" -reorder-blocks=ext-tsp \
		-reorder-functions=hfsort -split-functions -split-all-cold -dyno-stats \
		-stale-threshold=0 -report-stale >"$log" 2>&1 ||
		{ fail "$1: llvm-bolt-$3 refuses"; tail -n 20 "$log"; return; }
	grep -q 'invalid (possibly stale)' "$log" && fail "$1: stale functions by llvm-bolt-$3"
	"./$1.bolt" "$2" | cmp - "$1.expected" || fail "$1: other output after llvm-bolt-$3"
	down=$(sed -nE 's/.*: taken branches \(-([0-9]+)\..*/\1/p' "$log")
	echo "$1: llvm-bolt-$3: taken branches down ${down:-0} %"
	[ "${down:-0}" -ge "$4" ] || fail "$1: less than $4 %"
	# Records that come from no symbol make BOLT say that it ignored one object, "[unknown]",
	# as it does for perf2bolt's own files; any other ignored name is a wrong name.
	grep -v '^0 ' "$1.fdata" >"$1.named"
	llvm-bolt-"$3" "$1" -data "$1.named" -o "$1.named.bolt" >"$log" 2>&1
	! grep 'objects was ignored' "$log" || fail "$1: names that llvm-bolt-$3 does not know"
}

# compare NAME VERSION
compare() {
	"/usr/lib/llvm-$2/bin/perf2bolt" "$1" --pa -p "$1.preagg" -o "$1.peer" >"$1.peer.log" 2>&1 ||
		{ fail "$1: perf2bolt $2 fails"; tail -n 5 "$1.peer.log"; return; }
	diff <(normalise "$1.fdata") <(normalise "$1.peer") ||
		fail "$1: differs from perf2bolt $2 (< ours, > its)"
	echo "$1: perf2bolt $2: $(normalise "$1.peer" | wc -l) records compared"
}

# check NAME ARGUMENT PERCENT COMPILER...
check() {
	local name=$1 argument=$2 percent=$3
	shift 3
	"$@" -Wl,-q -o "$name"
	exact "$name" "$argument"
	for bolt in $bolts; do
		version=${bolt##*-}
		optimize "$name" "$argument" $version "$percent"
		compare "$name" $version
	done
}

cd "$work"
vm=$here/stack_machine.c
plain="-O2 -g -fno-reorder-blocks-and-partition"
check vm-pie 20000 40 gcc $plain -pie -fPIE "$vm"
check vm-nopie 20000 40 gcc $plain -no-pie -fno-pie "$vm"
check cxx-pie 3000 20 g++ $plain -pie -fPIE "$here/exceptions.cc"
check cxx-split 3000 20 g++ -O2 -g -no-pie -fno-pie "$here/exceptions.cc"
# another kind of code
clang=$(newest clang) lld=ld.lld${clang#clang}
if command -v "$clang" >/dev/null && command -v "$lld" >/dev/null; then
	check vm-clang 20000 15 "$clang" -O2 -g -fuse-ld=lld -fPIE -pie "$vm"
else
	skip_part "no $clang with $lld"
fi
exit $status
