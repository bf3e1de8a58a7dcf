/* SPDX-License-Identifier: MIT */
/* Threads: without libc, canceled, hundreds, and with segment bases of their own. */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hazards.h"

#define RAW_STACK 65536

struct raw {
	uint32_t tid; /* cleared by the kernel at its end */
	uint64_t sum;
};

/* Nothing of libc, no thread-local storage of its own. */
static __attribute__((noinline)) void raw_body(struct raw *mine)
{
	uint64_t seed = mine->sum;

	for (unsigned i = 0; i < 6000000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (seed >> 60 < 6)
			mine->sum += seed >> 40;
	}
}

/* clone3 by hand: the new thread comes back on its own stack, with %rax 0. */
static long start_raw(struct clone_args *args, struct raw *mine)
{
	long result;

	__asm__ volatile("mov %[mine], %%r12\n\t"
			 "syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "mov %%r12, %%rdi\n\t"
			 "call *%[body]\n\t"
			 "mov $60, %%eax\n\t"
			 "xor %%edi, %%edi\n\t"
			 "syscall\n\t"
			 "1:"
			 : "=a"(result)
			 : "a"(SYS_clone3), "D"(args),
			   "S"(sizeof(*args)), [mine] "r"(mine), [body] "r"(raw_body)
			 : "rcx", "r11", "r12", "memory");
	return result;
}

static int run_clone3(char **argv)
{
	static struct raw all[8];
	uint64_t sum = 0;

	(void)argv;
	for (unsigned i = 0; i < 8; i++) {
		uint8_t *stack = mmap(NULL, RAW_STACK, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct clone_args args = {.flags = CLONE_VM | CLONE_FS | CLONE_FILES |
						   CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
						   CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID,
					  .child_tid = (uintptr_t)&all[i].tid,
					  .stack = (uintptr_t)stack,
					  .stack_size = RAW_STACK};

		all[i].sum = i + 1;
		all[i].tid = 1;
		if (start_raw(&args, &all[i]) < 0)
			return NOT_HERE;
	}
	sum = work(1, 30000000);
	for (unsigned i = 0; i < 8; i++) {
		while (__atomic_load_n(&all[i].tid, __ATOMIC_ACQUIRE))
			usleep(1000);
		sum = sum * 31 + all[i].sum;
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

static void *endless(void *seed)
{
	uint64_t sum = (uintptr_t)seed;

	if (sum % 2)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;) {
		sum = work(sum, 5000);
		pthread_testcancel();
	}
	return NULL;
}

static int run_cancel(char **argv)
{
	unsigned canceled = 0;

	(void)argv;
	for (unsigned round = 0; round < 100; round++) {
		pthread_t threads[4];
		void *value;

		for (uintptr_t i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, endless, (void *)i);
		usleep(round * 37 % 3000);
		for (unsigned i = 0; i < 4; i++)
			pthread_cancel(threads[i]);
		for (unsigned i = 0; i < 4; i++) {
			pthread_join(threads[i], &value);
			canceled += value == PTHREAD_CANCELED;
		}
	}
	printf("%u canceled\n", canceled);
	return 0;
}

static pthread_barrier_t barrier;

static void *one_of_many(void *seed)
{
	uint64_t sum = work((uintptr_t)seed, 50000);

	pthread_barrier_wait(&barrier);
	return (void *)(uintptr_t)(work(sum, 50000) & 0xffff);
}

static int run_many(char **argv)
{
	static pthread_t threads[500];
	pthread_attr_t small;
	uint64_t sum = 0;
	void *value;

	(void)argv;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int round = 0; round < 2; round++) {
		pthread_barrier_init(&barrier, NULL, 500);
		for (uintptr_t i = 0; i < 500; i++)
			if (pthread_create(&threads[i], &small, one_of_many, (void *)i))
				return NOT_HERE;
		for (unsigned i = 0; i < 500; i++) {
			pthread_join(threads[i], &value);
			sum = sum * 31 + (uintptr_t)value;
		}
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

/* A base for %gs, and %fs elsewhere for a while (with a copy of what libc keeps there). */
static int run_segments(char **argv)
{
	static uint64_t area[512], block[320];
	uint64_t fs, sum = 0, seen;

	(void)argv;
	syscall(SYS_arch_prctl, ARCH_GET_FS, &fs);
	for (unsigned i = 0; i < 300; i++) {
		area[4] = i;
		syscall(SYS_arch_prctl, ARCH_SET_GS, area + i % 8);
		__asm__ volatile("mov %%gs:32, %0" : "=r"(seen));
		sum = work(sum + seen + (i % 8 ? 0 : i), 150000);
		if (i % 8)
			area[4 + i % 8] = sum;
	}
	memcpy(block, (void *)(fs - 512), sizeof(block));
	for (unsigned i = 0; i < 100; i++) {
		/* below it are thread-local variables, above it what libc reads by it */
		syscall(SYS_arch_prctl, ARCH_SET_FS, (uintptr_t)block + 512);
		sum = work_here(sum, 150000);
		syscall(SYS_arch_prctl, ARCH_SET_FS, fs);
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

const struct hazard hazards_threads[] = {
	{"clone3", run_clone3},	    {"cancel", run_cancel}, {"many", run_many},
	{"segments", run_segments}, {NULL, NULL},
};
