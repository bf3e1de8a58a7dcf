#!/bin/bash
# SPDX-License-Identifier: MIT
# The rooms and the ways between them, held by reading the includes: which room may include which,
# and in which room each third-party library lives.
set -euo pipefail
cd "$(dirname "$0")/../.."

# room: the rooms that it may include, besides itself and include/softlbr
rooms=(
	"base:"
	"isa:base"
	"formats:base"
	"mcf:base"
	"converter:base isa formats mcf"
	"compare:base isa formats mcf converter"
	"report:base isa formats mcf converter compare"
	"library:base isa formats converter compare"
	"collector:base isa formats"
	"cli:base isa formats mcf converter compare report collector"
)
# Of formats the collector needs the perf.data writer, and what that describes.
collector_formats='formats/(perfdata|perfdata_write|model/branch_profile)\.h'

# header: the only files that may include it
libraries=(
	'capstone/:^isa/'
	'(elfutils/|libelf\.h|gelf\.h|dwarf\.h|libdw\.h):^converter/'
	'glpk\.h:^mcf/glpk_solver\.c$'
	'jansson\.h:^base/json'
	'(zlib|zstd|lzma)\.h:^base/compress'
)

failed=0
# those that exist by now
includes=$(grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"][^>"]+[>"]' -r \
	--include='*.[ch]' $(ls -d base isa formats mcf converter compare report library collector cli 2>/dev/null) |
	sed -E 's/^([^:]+):[^<"]*[<"]([^>"]+)[>"]/\1 \2/')
[ "$(wc -l <<<"$includes")" -gt 100 ]

complain() {
	echo "$1 includes $2: $3"
	failed=1
}

while read -r file header; do
	room=${file%%/*}
	target=${header%%/*}
	for entry in "${rooms[@]}"; do
		[ "${entry%%:*}" = "$room" ] || continue
		allowed=" $room softlbr ${entry#*:} "
	done
	for entry in "${rooms[@]}"; do
		[ "${entry%%:*}" = "$target" ] || continue
		[[ $allowed == *" $target "* ]] || complain "$file" "$header" "no way from $room to $target"
	done
	[ "$room $target" != "collector formats" ] || [[ $header =~ ^$collector_formats$ ]] ||
		complain "$file" "$header" "the collector writes perf.data and reads no format"
	for entry in "${libraries[@]}"; do
		[[ $header =~ ^${entry%%:*} ]] || continue
		[[ $file =~ ${entry#*:} ]] || complain "$file" "$header" "it belongs in ${entry#*:}"
	done
done <<<"$includes"

[ $failed = 0 ] && echo "$(wc -l <<<"$includes") includes keep to the rooms"
exit $failed
