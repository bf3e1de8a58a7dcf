#!/bin/sh
# SPDX-License-Identifier: MIT
# lockstep.sh LOCKSTEP TRACES DEPTH PERCENT PROGRAM...: look-ahead beside single-stepping on real
# programs. At least PERCENT of the traces must need no stop; nothing claimed may be wrong.
set -u
lockstep=$1 traces=$2 depth=$3 percent=$4
shift 4
. "$(dirname "$0")/../prelude.sh"
. "$here/workloads.sh"
dir=$work
softlbr=$(dirname "$lockstep")/../softlbr
has_breakpoints || skip "no breakpoint of this machine is ever hit (softlbr doctor)"
failed=0 ran=0
for program; do
	command -v "${program%% *}" >/dev/null || {
		skip_part "${program%% *} is not installed"
		continue
	}
	workload "$program" || exit 1
	"$lockstep" --traces="$traces" --depth="$depth" --zero-stop="$percent" --name="$program" \
		-- $command
	case $? in
	0) ran=$((ran + 1)) ;;
	77) ;;
	*) failed=1 ran=$((ran + 1)) ;;
	esac
done
[ "$ran" -gt 0 ] || skip "no program could be traced"
exit $failed
