/* SPDX-License-Identifier: MIT */
/*
 * raw_exec HOW PROGRAM: becomes PROGRAM by the system call itself, which no library sees.
 * HOW: raw; filter: after a seccomp filter that allows everything, and by execv.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

/* Not inlined: the recorder would find the number beside the instruction (raw_filter.h). */
static __attribute__((noinline)) long call(long number, long a, long b, long c)
{
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(0)
			 : "rcx", "r11", "memory");
	return rc;
}

static int filter(void)
{
	struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {1, code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program);
}

int main(int argc, char **argv)
{
	char *arguments[] = {argc > 2 ? argv[2] : NULL, NULL};

	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "raw"))
		call(SYS_execve, (long)argv[2], (long)arguments, (long)environ);
	else if (!filter())
		execv(argv[2], arguments);
	perror(argv[2]);
	return 1;
}
