#!/bin/bash
# SPDX-License-Identifier: MIT
# What depends on a CPU is in isa/CPU/ or in a file that is called after the CPU (NAME_x86_64.c): nowhere else in isa/,
# the collector or cli/ does a CPU's register, trap frame or instruction stand, nor a system call that only old CPUs have.
# Where a header chooses among the CPUs' files, the #if stands directly above the #include.
set -euo pipefail
cd "$(dirname "$0")/../.."

registers='gregs|\bREG_[RE][A-Z0-9]+\b|uc_mcontext|\b(rip|rsp|rflags|eflags)\b'
kernel='orig_rax|u_debugreg|PTRACE_(GET|SET)REGS\b|NT_X86|NT_ARM|user_regs_struct|user_pt_regs|sys/user\.h|arch_prctl|asm/prctl|ld-linux-[a-z]'
compiler='__builtin_ia32|immintrin|cpuid|EM_X86_64|EM_AARCH64|rdtsc|cntvct'
calls='SYS_(dup2|open|stat|lstat|access|readlink|unlink|rename|mkdir|rmdir|pipe|fork|vfork|poll|select|epoll_wait|time|getdents)\b'
# a CPU's assembly; an empty one, or nop, is anybody's
assembly='__asm__( volatile)?\("([^"n]|n[^o])'

files=$(find isa collector cli -name '*.[ch]' ! -path 'isa/x86_64/*' ! -path 'isa/aarch64/*' ! -name '*_x86_64.*' \
	! -name '*_aarch64.*' | sort)
[ "$(wc -w <<<"$files")" -gt 200 ]
failed=0
# decoding of either CPU's files is chosen by the file's machine
found=$(grep -nE "$registers|$kernel|$compiler|$calls|$assembly" $files |
	grep -vE '^isa/(decoder|operands|text)\.c:.*EM_|__asm__\("__tsan_init"\)|:[0-9]+:[[:space:]]*(/\*| \*)' || true)
[ -z "$found" ] || {
	echo "of one CPU only, outside its files:"
	echo "$found"
	failed=1
}

# #if, the CPU's #include(s), and nothing else up to the next branch
for file in $files; do
	awk -v file="$file" '
		/^#(if|elif).*(__x86_64__|__aarch64__)/ {cpu = 1; next}
		/^#(else|endif)/ {cpu = 0}
		cpu && !/^#include "[a-z_\/0-9]*(x86_64|aarch64)[a-z_\/0-9]*\.h"$/ {print file ":" FNR ": " $0; bad = 1}
		!cpu && /__x86_64__|__aarch64__/ {print file ":" FNR ": " $0; bad = 1}
		END {exit bad}' "$file" || failed=1
done

# Each CPU has the files that the other one has.
twins=$(find collector isa -name '*_x86_64.[ch]' -o -name '*_aarch64.[ch]' | sed -E 's/_(x86_64|aarch64)\././' | sort | uniq -u)
[ -z "$twins" ] || {
	echo "for one CPU only: $twins"
	failed=1
}
[ $failed = 0 ] && echo "$(wc -w <<<"$files") files hold for every CPU"
exit $failed
