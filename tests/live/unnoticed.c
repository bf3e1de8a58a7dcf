/* SPDX-License-Identifier: MIT */
/*
 * unnoticed WHAT: what a recorded program could notice, or be ended by.
 *
 *	slack		its timer slack, which children inherit
 *	segment		code of 32 bits, by a far call
 *	files		how many files it can open, beside 60 threads
 *	group		signals to its process group: its own, and others'
 *
 * and with OWN_ACTIONS
 *
 *	reset		all signals' actions become the default ones, by an instruction of its own
 *	handler		200 SIGTRAPs for a handler that was set so
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int count;
static volatile uint64_t sum;

static void work(unsigned millions)
{
	for (uint64_t i = 0; i < millions * UINT64_C(1000000); i++)
		sum = sum * 6364136223846793005u + 1;
}

#if defined(__x86_64__) && defined(OWN_ACTIONS)
struct kernel_action {
	void (*handler)(int);
	uint64_t flags;
	void (*restorer)(void);
	uint64_t mask;
};

static long set_action(int number, const struct kernel_action *action)
{
	register long bytes __asm__("r10") = 8;
	long rc = SYS_rt_sigaction;

	__asm__ volatile("syscall"
			 : "+a"(rc)
			 : "D"((long)number), "S"(action), "d"(0l), "r"(bytes)
			 : "rcx", "r11", "memory");
	return rc;
}

void restore(void);
__asm__("restore: mov $15, %eax\n\tsyscall"); /* rt_sigreturn */

static void on_trap(int number)
{
	(void)number;
	count++;
}

static int reset(void)
{
	static const struct kernel_action none;

	for (int number = 1; number < 65; number++)
		if (number != SIGKILL && number != SIGSTOP)
			set_action(number, &none);
	work(300);
	return 4;
}

static int handler(void)
{
	const struct kernel_action action = {on_trap, 0x04000000 /* SA_RESTORER */, restore, 0};

	set_action(SIGTRAP, &action);
	for (int i = 0; i < 200; i++) {
		work(1);
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGTRAP);
	}
	printf("%d\n", count);
	return 0;
}

#endif

#if defined(__x86_64__) && !defined(OWN_ACTIONS)
/* xor %eax,%eax; mov $0x1000000,%ecx; 1: inc %eax, a prefix in 64-bit code; test $1,%al; je 2f; inc
 * %eax; 2: dec %ecx; jnz 1b; retf */
static const uint8_t code[] = {0x31, 0xc0, 0xb9, 0,    0,    0,	   1,	 0x40, 0xa8,
			       1,    0x74, 1,	 0x40, 0x49, 0x75, 0xf7, 0xcb};

static int segment(void)
{
	uint8_t *low = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	struct {
		uint32_t offset;
		uint16_t selector;
	} __attribute__((packed)) to = {(uint32_t)(uintptr_t)low, 0x23};
	uint64_t result = 0;

	if (low == MAP_FAILED)
		return 1;
	memcpy(low, code, sizeof(code));
	memcpy(low + 4096, &to, sizeof(to));
	for (int i = 0; i < 30; i++) {
		uint32_t got;

		__asm__ volatile(
			"mov %%rsp, %%rbx\n\tmov %1, %%rsp\n\tlcall *(%2)\n\tmov %%rbx, %%rsp"
			: "=&a"(got)
			: "r"(low + 8192 - 16), "r"(low + 4096)
			: "rbx", "rcx", "memory", "cc");
		result = result * 31 + got;
	}
	printf("%llx\n", (unsigned long long)result);
	return 0;
}
#endif

static int slack(void)
{
	printf("%d\n", prctl(PR_GET_TIMERSLACK));
	return 0;
}

static void on_signal(int number)
{
	(void)number;
	count++;
}

/* How often did it come within so many tenths of a second? */
static void print_came(const char *what, int tenths)
{
	struct timespec pause = {.tv_nsec = 10000000};

	for (int i = 0; i < 10 * tenths; i++)
		nanosleep(&pause, NULL);
	printf("%s %d\n", what, count);
	fflush(stdout);
	count = 0;
}

static int group(void)
{
	const struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	work(100);
	kill(0, SIGTERM);
	print_came("own TERM", 5);
	kill(0, SIGINT);
	print_came("own INT", 5);
	puts("ready");
	fflush(stdout);
	print_came("sent", 15);
	return 3;
}

static void *idle(void *unused)
{
	pause();
	return unused;
}

static int files(void)
{
	char line[16] = "";
	pthread_t thread;
	FILE *echo;
	int opened;

	for (int i = 0; i < 60; i++)
		if (pthread_create(&thread, NULL, idle, NULL))
			return 1;
	work(300); /* sampled */
	for (opened = 0; open("/dev/null", O_RDONLY) >= 0;)
		opened++;
	close(opened);
	close(opened - 1);
	echo = popen("echo child", "r");
	if (echo && !fgets(line, sizeof(line), echo))
		return 1;
	printf("%d %s", opened, line);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

#if defined(__x86_64__) && defined(OWN_ACTIONS)
	if (!strcmp(what, "reset"))
		return reset();
	if (!strcmp(what, "handler"))
		return handler();
#elif defined(__x86_64__)
	if (!strcmp(what, "segment"))
		return segment();
#endif
	return !strcmp(what, "slack")	? slack()
	       : !strcmp(what, "files") ? files()
	       : !strcmp(what, "group") ? group()
					: 77;
}
