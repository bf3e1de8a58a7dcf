/* SPDX-License-Identifier: MIT */
/*
 * debug_registers PID: are all debug registers of all threads of a process clear? Prints what is
 * not; status 1 then.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

static int check(pid_t tid)
{
	int status, set = 0;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) ||
	    waitpid(tid, &status, __WALL) != tid) {
		perror("debug_registers: cannot stop the thread");
		return 1;
	}
	for (int i = 0; i < 8; i++) {
		void *place = (void *)(offsetof(struct user, u_debugreg) + (size_t)i * 8);
		long value = i == 4 || i == 5 ? 0 : ptrace(PTRACE_PEEKUSER, tid, place, NULL);

		/* DR6's reserved bits are ones, or zeros in older kernels */
		if (i == 6 ? value & ~0xffff0ff0l : value) {
			printf("thread %d: debug register %d is %#lx\n", (int)tid, i, value);
			set = 1;
		}
	}
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	return set;
}

int main(int argc, char **argv)
{
	struct dirent *entry;
	int threads = 0, set = 0;
	char path[64];
	DIR *d;

	if (argc != 2)
		return 2;
	snprintf(path, sizeof(path), "/proc/%s/task", argv[1]);
	d = opendir(path);
	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.') {
			set |= check(atoi(entry->d_name));
			threads++;
		}
	if (d)
		closedir(d);
	printf("%d threads\n", threads);
	return set || !threads;
}
