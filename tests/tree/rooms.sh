#!/bin/bash
# SPDX-License-Identifier: MIT
# The rooms and the arrows between them, held by reading the includes. The arrows are those of the table in
# docs/design.md: a row names a room (or a sub-room) and the rooms that its files may include besides their
# own. Also: which files may include a third-party library, and that CONTRIBUTING.md's table has each room.
set -euo pipefail
cd "$(dirname "$0")/../.."
design=docs/design.md

# header: the only files that may include it
libraries=(
	'capstone/:^isa/(operands|text)\.c$'
	'(libelf|gelf|dwarf)\.h:^converter/'
	'(elfutils/|libdw\.h):^converter/dwarf/'
	'glpk\.h:^mcf/glpk_solver\.c$'
	'libiberty/:^report/demangle\.c$'
	'jansson\.h:^base/json'
	'(zlib|zstd|lzma)\.h:^base/compress'
)
# Of formats/ the collector needs the writer of perf.data, and what that describes.
collector_formats='formats/(perfdata|perfdata_write|model/branch_profile|model/overlap_estimate)\.h'

failed=0
complain() {
	echo "$*"
	failed=1
}

# "room: room room ..." for each row of the table
declare -A arrows=()
while read -r room targets; do
	arrows[$room]=" $targets "
done < <(awk -F'|' '/^\| room \| may include \|/ {inside = 1; next} inside && !/^\|/ {exit}
	inside && $2 !~ /---/ {gsub(/[`,]/, "", $2); gsub(/[`,]/, "", $3); print $2, $3}' $design)
[ ${#arrows[@]} -gt 20 ] || complain "$design: the table of arrows has ${#arrows[@]} rooms only"

# A room without rows of its own below it is one with its folders.
room_of() {
	local folder=${1%/*}

	while [ -z "${arrows[$folder]:-}" ] && [[ $folder == */* ]]; do
		folder=${folder%/*}
	done
	room=$folder
}

# The table itself has no circle: rooms that lead nowhere are taken away until none is left.
left=("${!arrows[@]}")
while [ ${#left[@]} -gt 0 ]; do
	open=" ${left[*]} "
	next=()
	for room in "${left[@]}"; do
		for target in ${arrows[$room]}; do
			[[ $open != *" $target "* ]] || {
				next+=("$room")
				break
			}
		done
	done
	[ ${#next[@]} -lt ${#left[@]} ] || {
		complain "$design: arrows in a circle among: ${next[*]}"
		break
	}
	left=("${next[@]}")
done

top=$(printf '%s\n' "${!arrows[@]}" | cut -d/ -f1 | sort -u)
includes=$(grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"][^>"]+[>"]' -r --include='*.[ch]' $top |
	sed -E 's/^([^:]+):[^<"]*[<"]([^>"]+)[>"]/\1 \2/')
[ "$(wc -l <<<"$includes")" -gt 100 ]

used=" "
while read -r file header; do
	room_of "$file"
	from=$room
	[ -n "${arrows[$from]:-}" ] || complain "$file: $design has no room $from"
	for entry in "${libraries[@]}"; do
		[[ $header =~ ^${entry%%:*} ]] || continue
		[[ $file =~ ${entry#*:} ]] || complain "$file includes $header: it belongs in ${entry#*:}"
	done
	[ -f "$header" ] || continue
	room_of "$header"
	to=$room
	[ "$from" != "$to" ] || continue
	[[ $used == *" $from>$to "* ]] || used+="$from>$to "
	[[ ${arrows[$from]:-} == *" $to "* ]] || complain "$file includes $header: $design has no arrow from $from to $to"
	[ "${from%%/*} ${to%%/*}" != "collector formats" ] || [[ $header =~ ^$collector_formats$ ]] ||
		complain "$file includes $header: the collector writes perf.data and reads no format"
done <<<"$includes"

# The table promises no more than there is.
for from in "${!arrows[@]}"; do
	[ -d "$from" ] || complain "$design: there is no folder $from"
	for to in ${arrows[$from]}; do
		[[ $used == *" $from>$to "* ]] || complain "$design: no file of $from includes one of $to"
	done
done

# CONTRIBUTING.md's table of rooms is the list of the folders.
listed=$(awk -F'|' '/^\| room \|/ {inside = 1; next} inside && !/^\|/ {exit}
	inside && $2 !~ /---/ {gsub(/[` \/]/, "", $2); print $2}' CONTRIBUTING.md | sort)
folders=$(git ls-files 2>/dev/null | grep / | cut -d/ -f1 | sort -u | grep -v '^\.' || true)
[ -n "$folders" ] || folders=$(find . -mindepth 1 -maxdepth 1 -type d ! -name '.*' ! -name 'build*' -printf '%f\n' | sort)
[ "$listed" = "$folders" ] || complain "CONTRIBUTING.md's rooms and the folders differ: $(
	diff <(echo "$listed") <(echo "$folders") | grep '^[<>]' | tr '\n' ' ')"

[ $failed = 0 ] && echo "$(wc -l <<<"$includes") includes keep to ${#arrows[@]} rooms and $(wc -w <<<"$used") arrows"
exit $failed
