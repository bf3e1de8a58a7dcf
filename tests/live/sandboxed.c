/* SPDX-License-Identifier: MIT */
/*
 * sandboxed ACTION WAY WHERE [violate]: a program that puts itself under a seccomp filter in the
 * middle of its life and does as much after it. The filter lets pass what the program itself calls,
 * and does ACTION to everything else:
 *
 *	strict		SECCOMP_MODE_STRICT, only with WHERE alone
 *	kill, trap, errno, notify	with SIGSYS handled, for trap; a supervisor that says what
 *comes
 *
 * WAY: prctl, syscall (seccomp(2) by syscall(3)), raw (by an instruction of its own, if built with
 * -DRAW); the first has no supervisor. WHERE:
 *
 *	alone		the only thread
 *	threads		all threads at once: one works, one sleeps in a system call
 *	thread		in a thread, whose filter is not the others'
 *	child, parent	in the child of a fork; before the fork
 *
 * violate: it calls something that its filter does not allow, at its end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "busy.h"

#define ROUNDS 250u

static const char *action, *way;
static int block[2];
static volatile int stop;

static void say(const char *what, uint64_t n)
{
	char line[80];
	int length = snprintf(line, sizeof(line), "%s %llx\n", what, (unsigned long long)n);

	if (write(1, line, (size_t)length) != length)
		syscall(SYS_exit_group, 9);
}

/* ---- the filter ---------------------------------------------------------------------------- */

static const int allowed[] = {
	SYS_read,	  SYS_write,	    SYS_exit,		SYS_exit_group,
	SYS_rt_sigreturn, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_futex,
	SYS_madvise,	  SYS_mmap,	    SYS_munmap,		SYS_mprotect,
	SYS_clone,	  SYS_clone3,	    SYS_rseq,		SYS_set_robust_list,
	SYS_wait4,	  SYS_dup2,	    SYS_close,		SYS_close_range,
	SYS_fcntl,	  SYS_fstat,	    SYS_newfstatat,	SYS_brk,
};

#define ALLOWED (sizeof(allowed) / sizeof(allowed[0]))

static unsigned build(struct sock_filter *f, uint32_t verdict)
{
	unsigned n = 0;

	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < ALLOWED; i++)
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						      (uint32_t)allowed[i], ALLOWED - i, 0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return n;
}

static uint32_t verdict_of(const char *name)
{
	return !strcmp(name, "kill")	? SECCOMP_RET_KILL_PROCESS
	       : !strcmp(name, "trap")	? SECCOMP_RET_TRAP
	       : !strcmp(name, "errno") ? SECCOMP_RET_ERRNO | EXDEV
					: SECCOMP_RET_USER_NOTIF;
}

static long raw_seccomp(unsigned operation, unsigned flags, void *filter)
{
	long rc = -ENOSYS;

#ifdef RAW
	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"(SYS_seccomp), "D"(operation), "S"(flags), "d"(filter)
			 : "rcx", "r11", "memory");
#else
	(void)operation;
	(void)flags;
	(void)filter;
#endif
	return rc;
}

static long install(unsigned flags)
{
	struct sock_filter filter[ALLOWED + 3];
	struct sock_fprog program = {.filter = filter};

	if (!strcmp(action, "strict")) {
		if (!strcmp(way, "prctl"))
			return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		return !strcmp(way, "raw") ? raw_seccomp(SECCOMP_SET_MODE_STRICT, 0, NULL)
					   : syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
	}
	program.len = (unsigned short)build(filter, verdict_of(action));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	if (!strcmp(way, "prctl"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	return !strcmp(way, "raw") ? raw_seccomp(SECCOMP_SET_MODE_FILTER, flags, &program)
				   : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static void on_sigsys(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	say("SIGSYS for", (uint64_t)info->si_syscall);
}

/* Answers each notification with EXDEV, as the filter for errno, and says what it was. */
static void supervise(int pipe_end)
{
	struct seccomp_notif request;
	struct seccomp_notif_resp answer;
	int fd = 0;

	if (read(pipe_end, &fd, sizeof(fd)) != sizeof(fd))
		_exit(3);
	/* the child's descriptor, by its number */
	fd = (int)syscall(SYS_pidfd_getfd, (int)syscall(SYS_pidfd_open, getppid(), 0), fd, 0);
	while (fd >= 0) {
		memset(&request, 0, sizeof(request));
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &request))
			break;
		say("notified of", (uint64_t)request.data.nr);
		answer = (struct seccomp_notif_resp){.id = request.id, .error = -EXDEV};
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
	_exit(0);
}

static void enter_sandbox(bool all)
{
	int tell[2];
	bool notify = !strcmp(action, "notify");
	long rc;

	if (notify) {
		if (pipe(tell))
			exit(3);
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
		if (!fork())
			supervise(tell[0]);
	}
	rc = install((all ? SECCOMP_FILTER_FLAG_TSYNC : 0) |
		     (notify ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0) |
		     (notify && all ? SECCOMP_FILTER_FLAG_TSYNC_ESRCH : 0));
	if (notify) {
		int fd = (int)rc;

		if (write(tell[1], &fd, sizeof(fd)) != sizeof(fd))
			exit(3);
		rc = rc < 0 ? rc : 0;
	}
	if (rc) {
		say("no filter", (uint64_t)errno);
		exit(3);
	}
}

/* ---- what it does -------------------------------------------------------------------------- */

/* The calls that the collector stands before. */
static void use_libc(void)
{
	struct sigaction old;
	struct stat st;
	sigset_t set;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	say("mprotect", (uint64_t)mprotect(page, 4096, PROT_READ));
	say("dup2", (uint64_t)dup2(1, 77));
	say("fcntl", (uint64_t)fcntl(77, F_GETFD));
	say("fstat", (uint64_t)fstat(77, &st));
	say("close", (uint64_t)close(77));
	say("close_range", (uint64_t)close_range(80, 2000, 0));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	say("sigprocmask", (uint64_t)sigprocmask(SIG_BLOCK, &set, NULL));
	say("sigaction", (uint64_t)sigaction(SIGTRAP, NULL, &old));
	say("old action", (uint64_t)(uintptr_t)old.sa_sigaction);
}

static void *spin(void *unused)
{
	uint64_t n = 0;

	(void)unused;
	while (!stop)
		n += work(1, 100000);
	return (void *)(uintptr_t)(n != 0);
}

static void *sleep_in_read(void *unused)
{
	char byte = 0;

	(void)unused;
	if (read(block[0], &byte, 1) != 1)
		return NULL;
	return (void *)(uintptr_t)work(1, ROUNDS * 100000);
}

static void *sandboxed_thread(void *unused)
{
	(void)unused;
	enter_sandbox(false);
	use_libc();
	return (void *)(uintptr_t)work(1, ROUNDS * 100000);
}

static void in_threads(void)
{
	pthread_t threads[3];
	void *results[3];

	if (pipe(block))
		exit(3);
	pthread_create(&threads[0], NULL, spin, NULL);
	pthread_create(&threads[1], NULL, sleep_in_read, NULL);
	say("before", work(1, ROUNDS * 100000));
	enter_sandbox(true);
	if (write(block[1], "x", 1) != 1)
		exit(3);
	pthread_create(&threads[2], NULL, sleep_in_read, NULL);
	say("after", work(1, ROUNDS * 100000));
	stop = 1;
	if (write(block[1], "x", 1) != 1)
		exit(3);
	for (unsigned i = 0; i < 3; i++) {
		pthread_join(threads[i], &results[i]);
		say("thread", (uint64_t)(uintptr_t)results[i]);
	}
}

static void in_thread(void)
{
	pthread_t thread;
	uint64_t meanwhile;
	void *result;

	pthread_create(&thread, NULL, sandboxed_thread, NULL);
	meanwhile = work(1, ROUNDS * 100000);
	pthread_join(thread, &result);
	say("meanwhile", meanwhile);
	say("thread", (uint64_t)(uintptr_t)result);
}

static int in_child(bool before)
{
	uint64_t meanwhile;
	int status = 0;
	pid_t child;

	if (before)
		enter_sandbox(false);
	child = fork();
	if (!child) {
		say("child", work(1, ROUNDS / 2 * 100000));
		if (!before)
			enter_sandbox(false);
		use_libc();
		say("child", work(1, ROUNDS / 2 * 100000));
		_exit(7);
	}
	meanwhile = work(1, ROUNDS * 100000);
	wait4(child, &status, 0, NULL);
	say("parent", meanwhile);
	return status >> 8;
}

int main(int argc, char **argv)
{
	struct sigaction sigsys = {.sa_sigaction = on_sigsys, .sa_flags = SA_SIGINFO};
	const char *where = argc > 3 ? argv[3] : "alone";
	int status = 5;

	if (argc < 3)
		return 2;
	action = argv[1];
	way = argv[2];
	if (!strcmp(action, "trap"))
		sigaction(SIGSYS, &sigsys, NULL);
	if (!strcmp(where, "threads")) {
		in_threads();
	} else if (!strcmp(where, "thread")) {
		in_thread();
	} else if (!strcmp(where, "child") || !strcmp(where, "parent")) {
		status = in_child(!strcmp(where, "parent"));
	} else {
		say("before", work(1, ROUNDS * 100000));
		enter_sandbox(false);
		if (strcmp(action, "strict") != 0)
			use_libc();
		say("after", work(1, ROUNDS * 100000));
	}
	if (argc > 4)
		say("getuid", (uint64_t)syscall(SYS_getuid));
	say("ends", 0);
	syscall(strcmp(action, "strict") ? SYS_exit_group : SYS_exit, status);
	return 0;
}
