/* SPDX-License-Identifier: MIT */
/* cli/sandbox.h: what a child that is in it may do, and what not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/sandbox.h"

#define NO_SECCOMP 77

static void *return_same(void *p)
{
	return p;
}

static int reads_writes_and_has_threads(void)
{
	char path[] = "/tmp/sandbox-XXXXXX";
	int fd = mkstemp(path);
	pthread_t thread;
	void *same = NULL;

	if (fd < 0 || write(fd, "x", 1) != 1 || fchmod(fd, 0600) || close(fd) || unlink(path))
		return 1;
	if (open("/proc/self/status", O_RDONLY | O_CLOEXEC) < 0)
		return 2;
	if (pthread_create(&thread, NULL, return_same, path) || pthread_join(thread, &same))
		return 3;
	return same == path ? 0 : 4;
}

static bool is_refused(long result)
{
	return result == -1 && errno == EPERM;
}

static int try_all(void)
{
	char *argv[] = {(char[]){"true"}, NULL};

	sandbox_enter();
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != SECCOMP_MODE_FILTER)
		return NO_SECCOMP;
	if (!is_refused(execv("/bin/true", argv)))
		return 10;
	if (!is_refused(socket(AF_INET, SOCK_STREAM, 0)))
		return 11;
	if (!is_refused(ptrace(PTRACE_TRACEME, 0, NULL, NULL)))
		return 12;
	if (!is_refused(syscall(SYS_kill, getpid(), 0)) || !is_refused(chroot("/")))
		return 13;
	return reads_writes_and_has_threads();
}

static void only_files_are_left(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	assert_true(pid >= 0);
	if (!pid)
		_exit(try_all());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_SECCOMP)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(only_files_are_left)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
