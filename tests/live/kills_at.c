/* SPDX-License-Identifier: MIT */
/*
 * kills_at SIGNAL N COMMAND...: the signal comes when COMMAND's first thread enters or leaves a
 * system call for the N-th time; N of 0: it ends by itself, and standard output has how often that
 * was. The status is the command's, or 128 and the signal that ended it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALL_STOP (SIGTRAP | 0x80)

int main(int argc, char **argv)
{
	unsigned long n = argc > 3 ? strtoul(argv[2], NULL, 0) : 0, calls = 0;
	int status, number = argc > 3 ? atoi(argv[1]) : 0;
	pid_t child = fork();

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	if (argc < 4 || waitpid(child, &status, 0) != child ||
	    ptrace(PTRACE_SETOPTIONS, child, NULL,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL))
		return 125;
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int stopped = WSTOPSIG(status);

		if (stopped == CALL_STOP && ++calls == n) {
			kill(child, number);
			ptrace(PTRACE_DETACH, child, NULL, NULL);
			continue;
		}
		if (stopped == CALL_STOP || stopped == SIGTRAP)
			stopped = 0;
		ptrace(PTRACE_SYSCALL, child, NULL, (long)stopped);
	}
	if (!n)
		printf("%lu\n", calls);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
