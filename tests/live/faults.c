/* SPDX-License-Identifier: MIT */
/*
 * faults [ROUNDS]: a program that serves its own page faults (userfaultfd(2)). A thread reads pages
 * that another one brings when they are missed, which takes its time for it, and throws them away
 * again. Prints a sum that depends on each byte that was read. Status 77 if this machine has no
 * userfaultfd for us.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE  4096u
#define PAGES 32u
#define BYTES ((size_t)PAGES * PAGE)

static int faults;
static uint8_t *base;

static uint64_t burn(unsigned turns)
{
	volatile uint64_t x = 1;

	for (unsigned i = 0; i < turns; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

static void *serve(void *unused)
{
	uint8_t *page = aligned_alloc(PAGE, PAGE);
	struct uffd_msg m;

	while (read(faults, &m, sizeof(m)) == sizeof(m)) {
		uint64_t at = m.arg.pagefault.address & ~(uint64_t)(PAGE - 1);
		struct uffdio_copy copy = {.dst = at, .src = (uintptr_t)page, .len = PAGE};

		if (m.event != UFFD_EVENT_PAGEFAULT)
			continue;
		burn(100000); /* it is stopped for samples, too */
		memset(page, (int)((at - (uintptr_t)base) / PAGE & 127), PAGE);
		ioctl(faults, UFFDIO_COPY, &copy);
	}
	return unused;
}

static int open_faults(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register r = {.range = {(uintptr_t)base, BYTES},
				    .mode = UFFDIO_REGISTER_MODE_MISSING};

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	return faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &r);
}

/* Takes its time without a branch, so that look-ahead sees several reads further. */
static uint64_t stir(uint64_t x)
{
#pragma GCC unroll 256
	for (unsigned i = 0; i < 256; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 250;
	uint64_t sum = 1;
	pthread_t thread;

	base = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED || open_faults()) {
		perror("userfaultfd");
		return 77;
	}
	puts("ready");
	fflush(stdout);
	pthread_create(&thread, NULL, serve, NULL);
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned i = 0; i < 8 * PAGES; i++) {
			sum = stir(sum);
			sum += base[sum % BYTES];
		}
		madvise(base, BYTES, MADV_DONTNEED);
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
