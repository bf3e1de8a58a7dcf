/* SPDX-License-Identifier: MIT */
/* The system around it: descriptors, io_uring, another root, another namespace, another user. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazards.h"

/* What daemons do to descriptors, between times of work. */
static int run_descriptors(char **argv)
{
	uint64_t sum = 1;
	int fd, taken = 0;

	(void)argv;
	for (unsigned round = 0; round < 60; round++) {
		switch (round % 5) {
		case 0:
			closefrom(3);
			break;
		case 1:
			close_range(3, ~0u, 0);
			break;
		case 2:
			for (fd = 3; fd < 1100; fd++)
				close(fd);
			break;
		case 3:
			for (fd = 3; fd < 900; fd += 3)
				taken += dup2(0, fd) == fd;
			break;
		default:
			fd = open("/dev/null", O_RDONLY);
			hazard_expect("lowest", fd, 4);
			hazard_expect("next", dup(fd), 5);
		}
		sum = work(sum, 700000);
	}
	printf("%d taken, %llx\n", taken, (unsigned long long)sum);
	return 0;
}

struct ring {
	int fd;
	struct io_uring_params p;
	uint8_t *sq, *cq;
	struct io_uring_sqe *entries;
};

static int ring_open(struct ring *r)
{
	size_t sq_bytes, cq_bytes;

	r->fd = (int)syscall(SYS_io_uring_setup, 16, &r->p);
	if (r->fd < 0)
		return -1;
	sq_bytes = r->p.sq_off.array + r->p.sq_entries * sizeof(uint32_t);
	cq_bytes = r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe);
	r->sq = mmap(NULL, sq_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd,
		     IORING_OFF_SQ_RING);
	r->cq = mmap(NULL, cq_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd,
		     IORING_OFF_CQ_RING);
	r->entries = mmap(NULL, r->p.sq_entries * sizeof(struct io_uring_sqe),
			  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd,
			  IORING_OFF_SQES);
	return 0;
}

/* One operation there and back; the result of it. */
static int ring_do(struct ring *r, uint8_t what, int fd, void *buffer, unsigned bytes, uint64_t at)
{
	uint32_t *tail = (void *)(r->sq + r->p.sq_off.tail), mask = r->p.sq_entries - 1;
	uint32_t *head = (void *)(r->cq + r->p.cq_off.head), slot = *tail & mask;
	struct io_uring_cqe *done = (void *)(r->cq + r->p.cq_off.cqes);
	int result;

	r->entries[slot] = (struct io_uring_sqe){
		.opcode = what, .fd = fd, .addr = (uintptr_t)buffer, .len = bytes, .off = at};
	((uint32_t *)(void *)(r->sq + r->p.sq_off.array))[slot] = slot;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	while (syscall(SYS_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		if (errno != EINTR)
			return -errno;
	result = done[*head & (r->p.cq_entries - 1)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

static int run_uring(char **argv)
{
	static uint8_t buffer[4096];
	struct ring ring = {.fd = -1};
	uint64_t sum = 1;
	int file;

	(void)argv;
	if (ring_open(&ring)) {
		printf("io_uring: %s\n", strerrorname_np(errno));
		return NOT_HERE;
	}
	file = memfd_create("file", 0);
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t at = (uint64_t)(i % 200) * sizeof(buffer);

		memset(buffer, (int)(sum & 0xff), sizeof(buffer));
		hazard_expect("write",
			      ring_do(&ring, IORING_OP_WRITE, file, buffer, sizeof(buffer), at),
			      sizeof(buffer));
		hazard_expect("read",
			      ring_do(&ring, IORING_OP_READ, file, buffer, sizeof(buffer), at),
			      sizeof(buffer));
		sum = work(sum + buffer[i % sizeof(buffer)], 6000);
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

static int in_child(int (*run)(void))
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		_exit(run());
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

/* In a root directory with nothing in it. */
static int sandboxed(void)
{
	if (mkdir("empty", 0755) && errno != EEXIST)
		return 98;
	if (chroot("empty") || chdir("/"))
		return NOT_HERE;
	return open("/proc/self/maps", O_RDONLY) < 0 && work(1, 60000000) ? 7 : 99;
}

static int run_chroot(char **argv)
{
	int status = in_child(sandboxed);

	(void)argv;
	printf("chroot %d, %llx\n", status, (unsigned long long)work(2, 20000000));
	return status == NOT_HERE ? NOT_HERE : 0;
}

static int alone(void)
{
	return getpid() == 1 && work(1, 60000000) ? 7 : 99;
}

/* Namespaces of mounts, users' ids left as they are, and of processes: the child is number 1. */
static int unshared(void)
{
	if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS))
		return NOT_HERE;
	return in_child(alone);
}

static int run_unshare(char **argv)
{
	int status = in_child(unshared);

	(void)argv;
	printf("unshare %d, %llx\n", status, (unsigned long long)work(2, 20000000));
	return status == NOT_HERE ? NOT_HERE : 0;
}

/* Gives up what it may, for good. */
static int another_user(void)
{
	if (setgid(65534) || setuid(65534))
		return NOT_HERE;
	return getuid() == 65534 && setuid(0) && work(1, 60000000) ? 7 : 99;
}

static int run_setuid(char **argv)
{
	int status = in_child(another_user);

	(void)argv;
	printf("setuid %d, %llx\n", status, (unsigned long long)work(2, 20000000));
	return status == NOT_HERE ? NOT_HERE : 0;
}

const struct hazard hazards_system[] = {
	{"descriptors", run_descriptors}, {"uring", run_uring},	  {"chroot", run_chroot},
	{"unshare", run_unshare},	  {"setuid", run_setuid}, {NULL, NULL},
};
