/* SPDX-License-Identifier: MIT */
/*
 * refuse errno|kill COMMAND...: run COMMAND where perf_event_open fails with EPERM, as in a default
 * container, or ends the caller with SIGSYS. The filter is the kernel's classic BPF, seccomp(2).
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS SECCOMP_RET_KILL
#endif

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (argc < 3) {
		fprintf(stderr, "usage: refuse errno|kill COMMAND...\n");
		return 2;
	}
	if (!strcmp(argv[1], "kill"))
		code[2].k = SECCOMP_RET_KILL_PROCESS;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("refuse: no seccomp here");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
