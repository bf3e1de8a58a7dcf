/* SPDX-License-Identifier: MIT */
/*
 * served_files [ROUNDS [code | hidden | program]]: a program that serves a file system of its own
 * (FUSE) and reads a file there through a mapping, whose pages it throws away again. It serves
 * without a library, and for itself only: the mount is in a namespace of its own, with "hidden" it
 * is taken out of that, too. With "code" the mapping may be executed; with "program" the file is
 * this program, which is executed in a process of its own. Whoever brings a page needs a lock that
 * the reader held until just before: nothing that runs ahead of it may read the page. Prints a sum
 * that depends on each byte that was read, and what else the file system was asked for. Status 75
 * if that is not to be had here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "faults.h"

#define NODE_FILE   2u
#define FOR_EVER    1000000u
#define NOT_HERE    75
#define REQUEST_MAX (1u << 17)

static int device;
static atomic_uint asked_size; /* FUSE_STATFS */
static sem_t serves;
static uint8_t *content; /* of the file */
static size_t size = BYTES;

static void answer(const struct fuse_in_header *in, int error, const void *body, size_t bytes)
{
	struct fuse_out_header out = {
		.len = (uint32_t)(sizeof(out) + bytes), .error = error, .unique = in->unique};
	struct iovec parts[] = {{&out, sizeof(out)}, {(void *)body, bytes}};

	/* ENOENT: whoever asked was interrupted */
	if (writev(device, parts, bytes ? 2 : 1) < 0 && errno != ENOENT)
		perror("answer");
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){.ino = node,
				  .size = node == NODE_FILE ? size : 0,
				  .mode = node == NODE_FILE ? S_IFREG | 0755 : S_IFDIR | 0755,
				  .nlink = 1,
				  .blksize = PAGE};
}

static void find(const struct fuse_in_header *in)
{
	struct fuse_entry_out out = {.nodeid = NODE_FILE,
				     .entry_valid = FOR_EVER,
				     .attr_valid = FOR_EVER,
				     .attr = attributes(NODE_FILE)};

	if (strcmp((const char *)(in + 1), "file"))
		answer(in, -ENOENT, NULL, 0);
	else
		answer(in, 0, &out, sizeof(out));
}

static void bring(const struct fuse_in_header *in)
{
	const struct fuse_read_in *what = (const void *)(in + 1);
	size_t count = what->offset >= size		  ? 0
		       : what->size > size - what->offset ? size - what->offset
							  : what->size;

	burn(20000); /* it is stopped for samples, too */
	take();
	release();
	answer(in, 0, content + what->offset, count);
}

static void serve_one(const struct fuse_in_header *in)
{
	struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
				     .minor = FUSE_KERNEL_MINOR_VERSION,
				     .max_write = PAGE,
				     .time_gran = 1};
	struct fuse_attr_out attr = {.attr_valid = FOR_EVER, .attr = attributes(in->nodeid)};
	struct fuse_open_out open_file = {.open_flags = FOPEN_KEEP_CACHE};

	switch (in->opcode) {
	case FUSE_INIT:
		answer(in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		find(in);
		break;
	case FUSE_GETATTR:
		answer(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		answer(in, 0, &open_file, sizeof(open_file));
		break;
	case FUSE_READ:
		bring(in);
		break;
	case FUSE_RELEASE:
		answer(in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	case FUSE_STATFS:
		atomic_fetch_add(&asked_size, 1);
		/* fall through */
	default:
		answer(in, -ENOSYS, NULL, 0);
	}
}

/* With descriptors of its own: were the device the other thread's, too, that could wait for an
 * answer for ever when the process is killed. */
static void *serve(void *unused)
{
	static uint64_t request[REQUEST_MAX / sizeof(uint64_t)];

	unshare(CLONE_FILES);
	sem_post(&serves);
	for (;;) {
		ssize_t got = read(device, request, sizeof(request));

		if (got >= (ssize_t)sizeof(struct fuse_in_header))
			serve_one((const void *)request);
		else if (got < 0 && errno != EINTR && errno != ENOENT && errno != EAGAIN)
			return unused; /* ENODEV: the end */
	}
}

/* A namespace of its own: nothing is left behind, however we end. */
static bool mount_own(char *place)
{
	char options[100];

	if (!mkdtemp(place))
		return false;
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u", device,
		 getuid(), getgid());
	return device >= 0 && !unshare(CLONE_NEWNS) &&
	       !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("served", place, "fuse", MS_NOSUID | MS_NODEV, options);
}

static uint64_t read_pages(uint8_t *base, int file, unsigned rounds)
{
	uint64_t sum = 1;

	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned i = 0; i < PAGES; i++) {
			take();
			sum = stir(sum);
			release();
			sum += base[i * PAGE + sum % PAGE];
		}
		madvise(base, BYTES, MADV_DONTNEED);
		posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	}
	return sum;
}

static bool fill(bool program)
{
	int file = program ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -1;
	struct stat st;

	if (program) {
		if (file < 0 || fstat(file, &st))
			return false;
		size = (size_t)st.st_size;
	}
	content = malloc(size);
	if (program)
		return content && read(file, content, size) == (ssize_t)size && !close(file);
	for (size_t i = 0; content && i < size; i++)
		content[i] = i / PAGE & 127;
	return content;
}

static int run_mapping(unsigned rounds, const char *path, const char *how, const char *place)
{
	int file = open(path, O_RDONLY);
	uint8_t *base;
	uint64_t sum;

	if (*how == 'h')
		umount2(place, MNT_DETACH);
	base = mmap(NULL, BYTES, PROT_READ | (*how == 'c' ? PROT_EXEC : 0), MAP_SHARED, file, 0);
	if (file < 0 || base == MAP_FAILED) {
		perror(path);
		return 1;
	}
	madvise(base, BYTES, MADV_RANDOM);
	sum = read_pages(base, file, rounds);
	printf("%llx, ", (unsigned long long)sum);
	close(file);
	return 0;
}

static int run_program(unsigned rounds, const char *path)
{
	char text[16];
	pid_t child;
	int status;

	snprintf(text, sizeof(text), "%u", rounds);
	child = fork();
	if (!child) {
		execl(path, path, text, "executed", NULL);
		_exit(126);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int run_executed(unsigned rounds)
{
	uint64_t sum = 1;

	for (unsigned i = 0; i < rounds * PAGES; i++)
		sum = stir(sum);
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 250;
	const char *how = argc > 2 ? argv[2] : "";
	char place[] = "served.XXXXXX", path[64];
	pthread_t thread;
	int status;

	if (*how == 'e')
		return run_executed(rounds);
	lock = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!fill(*how == 'p') || !mount_own(place)) {
		perror("FUSE");
		rmdir(place);
		return NOT_HERE;
	}
	pthread_create(&thread, NULL, serve, NULL);
	sem_wait(&serves);
	close(device);
	snprintf(path, sizeof(path), "%s/file", place);
	puts("ready");
	fflush(stdout);
	status = *how == 'p' ? run_program(rounds, path) : run_mapping(rounds, path, how, place);
	printf("%u questions of its size\n", asked_size);
	if (*how != 'h')
		umount2(place, MNT_DETACH);
	rmdir(place);
	return status;
}
