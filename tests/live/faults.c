/* SPDX-License-Identifier: MIT */
/*
 * faults [ROUNDS [device | instruction | fork | late]]: a program that serves its own page faults
 * (userfaultfd(2)). A thread reads pages that another one brings when they are missed, which takes
 * its time for it, and throws them away again. Whoever brings one needs a lock that the reader held
 * until just before: nothing that runs ahead of it may read the page. The descriptor is from
 * syscall(2), from /dev/userfaultfd, or from an instruction of the program's own; with "fork" a
 * process brings the pages, "late" it works for a while first. Prints a sum that depends on each
 * byte that was read. Status 77 if this machine has no userfaultfd for us.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults.h"

/* newer than Debian 12's headers */
#ifndef USERFAULTFD_IOC_NEW
#define USERFAULTFD_IOC_NEW _IO(0xaa, 0)
#endif

static int faults;
static uint8_t *base;

static void *serve(void *unused)
{
	uint8_t *page = aligned_alloc(PAGE, PAGE);
	struct uffd_msg m;

	while (read(faults, &m, sizeof(m)) == sizeof(m)) {
		uint64_t at = m.arg.pagefault.address & ~(uint64_t)(PAGE - 1);
		struct uffdio_copy copy = {.dst = at, .src = (uintptr_t)page, .len = PAGE};

		if (m.event != UFFD_EVENT_PAGEFAULT)
			continue;
		burn(20000); /* it is stopped for samples, too */
		take();
		memset(page, (int)((at - (uintptr_t)base) / PAGE & 127), PAGE);
		release();
		ioctl(faults, UFFDIO_COPY, &copy);
	}
	return unused;
}

static int from_instruction(void)
{
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"(SYS_userfaultfd), "D"(O_CLOEXEC)
			 : "rcx", "r11", "memory");
	return (int)rc;
}

static int from_device(void)
{
	int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC),
	    fd = ioctl(device, USERFAULTFD_IOC_NEW, O_CLOEXEC);

	close(device);
	return fd;
}

static int open_faults(const char *source)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register r = {.range = {(uintptr_t)base, BYTES},
				    .mode = UFFDIO_REGISTER_MODE_MISSING};

	faults = *source == 'd'	  ? from_device()
		 : *source == 'i' ? from_instruction()
				  : (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	return faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &r);
}

static void start_server(bool forks)
{
	pthread_t thread;
	pid_t reader = getpid();

	if (!forks) {
		pthread_create(&thread, NULL, serve, NULL);
	} else if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == reader)
			serve(NULL);
		_exit(0);
	}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 250;
	const char *how = argc > 2 ? argv[2] : "";
	uint64_t sum = 1;

	lock = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	base = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED || lock == MAP_FAILED || open_faults(how)) {
		perror("userfaultfd");
		return 77;
	}
	puts("ready");
	fflush(stdout);
	if (*how == 'l') /* there is something to record before */
		burn(200000000);
	start_server(*how == 'f');
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned i = 0; i < PAGES; i++) {
			take();
			sum = stir(sum);
			release();
			sum += base[i * PAGE + sum % PAGE];
		}
		madvise(base, BYTES, MADV_DONTNEED);
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
