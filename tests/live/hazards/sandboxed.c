/* SPDX-License-Identifier: MIT */
/* Memory that is special, signals that are read, a filter that ends one thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hazards.h"

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

#define HUGE (4u << 20)

static uint64_t sum_over(uint8_t *at, unsigned bytes)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(i * 2654435761u >> 24);
	for (unsigned round = 0; round < 12; round++)
		for (unsigned i = 0; i < bytes; i++)
			sum = at[i] & 1 ? sum * 31 + i : sum ^ at[i];
	return sum;
}

/* Whether the system has some or not: ordinary pages of 2 MB are asked for, too. */
static int run_hugepages(char **argv)
{
	uint8_t *at = mmap(NULL, HUGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	(void)argv;
	if (at == MAP_FAILED) {
		at = mmap(NULL, HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(at, HUGE, MADV_HUGEPAGE);
	}
	printf("%llx\n", (unsigned long long)sum_over(at, HUGE));
	return 0;
}

/* Memory that not even the kernel reads: branches depend on it. */
static int run_secret(char **argv)
{
	int fd = (int)syscall(SYS_memfd_secret, 0);
	uint8_t *at;

	(void)argv;
	if (fd < 0 || ftruncate(fd, 1 << 20)) {
		printf("memfd_secret: %s\n", strerrorname_np(errno));
		return NOT_HERE;
	}
	at = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return NOT_HERE;
	for (unsigned i = 0; i < 3; i++)
		printf("%llx\n", (unsigned long long)sum_over(at, 1 << 20));
	return 0;
}

/* All signals are blocked and read from a descriptor, SIGTRAP too. */
static int run_signalfd(char **argv)
{
	static const int numbers[] = {SIGUSR1, SIGTERM, SIGTRAP, SIGCHLD, SIGALRM};
	struct signalfd_siginfo info;
	uint64_t sum = 1;
	sigset_t all;
	int fd;

	(void)argv;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	fd = signalfd(-1, &all, SFD_CLOEXEC);
	for (unsigned round = 0; round < 200; round++) {
		int number = numbers[round % 5];
		union sigval value = {.sival_int = (int)round};

		hazard_expect("sigqueue", sigqueue(getpid(), number, value), 0);
		sum = work(sum, 200000);
		hazard_expect("read", read(fd, &info, sizeof(info)), sizeof(info));
		hazard_expect("signal", info.ssi_signo, number);
		hazard_expect("value", info.ssi_int, (long)round);
		hazard_expect("code", info.ssi_code, SI_QUEUE);
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

static volatile int sandboxed;

/* Ends at its first call that is not a write. */
static void *run_sandboxed(void *unused)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
	};
	struct sock_fprog program = {.len = 4, .filter = code};
	uint64_t sum;

	(void)unused;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return NULL;
	sum = work(1, 60000000);
	hazard_expect("write", write(1, "sandboxed\n", 9), 9);
	sandboxed = sum != 0;
	syscall(SYS_getppid);
	sandboxed = 2;
	return NULL;
}

/* One thread sandboxes itself and is ended; the others go on. */
static int run_kill_thread(char **argv)
{
	pthread_attr_t attributes;
	uint64_t sum = 1;
	pthread_t thread;

	(void)argv;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attributes, run_sandboxed, NULL);
	for (unsigned i = 0; i < 60; i++)
		sum = work(sum, 1000000);
	while (!sandboxed)
		usleep(1000);
	usleep(100000);
	printf("%llx, %s\n", (unsigned long long)sum, sandboxed == 1 ? "ended" : "not ended");
	/* libc would wait for nobody, but counts it as there */
	fflush(stdout);
	_exit(0);
}

const struct hazard hazards_sandboxed[] = {
	{"hugepages", run_hugepages},	  {"secret", run_secret}, {"signalfd", run_signalfd},
	{"kill-thread", run_kill_thread}, {NULL, NULL},
};
