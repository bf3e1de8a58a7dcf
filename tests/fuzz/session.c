/* SPDX-License-Identifier: MIT */
/*
 * A session's directory from bytes: files of any names, sizes and contents, drained while somebody
 * writes into them, cuts them off, renames and replaces them, also in the middle of a look:
 * process_vm_readv(2), by which the recorder reads them, is this file's, and makes the next change
 * before every few reads. The input is a row of such changes, a byte each, and their arguments.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/kernel/clock.h"
#include "collector/recorder/trace_writer.h"
#include "collector/engine/trace_record.h"

#define CHUNKS	     6u
#define BRANCHES     4u
#define RECORD_BYTES (sizeof(struct perfdata_sample_head) + BRANCHES * 24 + 8)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct hostile {
	const uint8_t *data;
	size_t size, at;
	int directory;
	struct trace_writer trace_writer;
	unsigned reads; /* so far */
	unsigned every; /* so many of them something is changed; 0: only between the looks */
	bool busy;	/* with a change */
} hostile;

static const char *const names[] = {
	"1.0", "2.0", "2.1",  "control", "4194305.0",	 "01.0",	"77.1000", "3.0.0",
	".x",  "4.",  "-1.0", "900.7",	 "nowhere/else", "4194304.999", "1",	   "1.0 "};

static uint64_t take(size_t bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | (hostile.at < hostile.size ? hostile.data[hostile.at++] : 0);
	return value;
}

static const char *take_name(void)
{
	return names[take(1) % (sizeof(names) / sizeof(names[0]))];
}

/* A number at which something ends, or any other. */
static uint64_t take_number(void)
{
	static const uint64_t edges[] = {
		0,
		1,
		2,
		8,
		16,
		CHUNKS,
		4080,
		4095,
		4096,
		4097,
		16384,
		65535,
		INT32_MAX,
		(uint64_t)INT32_MAX + 1,
		4095ull << 20,
		UINT32_MAX,
		UINT32_MAX - 7,
		INT64_MAX,
		UINT64_MAX,
	};
	uint8_t which = (uint8_t)take(1);

	return which < sizeof(edges) / sizeof(edges[0]) ? edges[which] : take(which % 9);
}

/* ---- what a program can do ---------------------------------------------------------------------
 */

static void write_at(const char *name, uint64_t at, const void *bytes, size_t size)
{
	int fd = openat(hostile.directory, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);

	/* files stay of a size that the machine has memory for */
	if (fd >= 0 && at < 1u << 20 && pwrite(fd, bytes, size, (off_t)at) < 0)
		errno = 0;
	if (fd >= 0)
		close(fd);
}

static uint64_t chunk_at(uint64_t chunk)
{
	return session_file_bytes(hostile.trace_writer.options.chunk_bytes,
				  (uint32_t)(chunk % CHUNKS));
}

/* A file as the collector makes it. */
static void make_file(const char *name)
{
	struct process_header h = {.magic = SESSION_MAGIC,
				   .pid = process_buffer_pid(name),
				   .chunk_bytes = hostile.trace_writer.options.chunk_bytes,
				   .chunk_count = CHUNKS};
	int fd = openat(hostile.directory, name, O_RDWR | O_CREAT | O_EXCL, 0600);

	if (fd < 0)
		return;
	if (!ftruncate(fd, (off_t)session_file_bytes(h.chunk_bytes, CHUNKS)) &&
	    pwrite(fd, &h, sizeof(h), 0) < 0)
		errno = 0;
	close(fd);
}

static size_t put_record(uint8_t *room, uint32_t pid)
{
	struct isa_taken entries[BRANCHES] = {{1, 2}, {3, 4}};
	uint8_t kinds[BRANCHES] = {ISA_JUMP, ISA_RETURN};
	struct trace trace = {.entries = entries, .kinds = kinds, .count = BRANCHES};
	struct trace_record_sample sample = {.pid = pid, .time = clock_now_ns()};

	trace_record_put(room, &sample, &trace, 0, BRANCHES);
	return RECORD_BYTES;
}

/* Records, of which any byte may be another; and the chunk's header. */
static void fill_chunk(const char *name, uint64_t chunk)
{
	uint8_t bytes[16 + 3 * RECORD_BYTES] = {0};
	struct chunk_header c = {.state = (uint32_t)take(1) % 4, .number = (uint32_t)take(1) - 1};
	size_t at = sizeof(c);

	for (uint64_t n = take(1) % 4; n; n--)
		at += put_record(bytes + at, process_buffer_pid(name));
	c.used = (uint32_t)(at - sizeof(c));
	memcpy(bytes, &c, sizeof(c));
	for (uint64_t n = take(1) % 4; n; n--)
		bytes[take(2) % sizeof(bytes)] = (uint8_t)take(1);
	write_at(name, chunk_at(chunk), bytes, at);
}

static void write_number(const char *name, uint64_t at)
{
	uint64_t value = take_number();

	write_at(name, at, &value, take(1) % 2 ? 4 : 8);
}

static void cut_off(const char *name)
{
	uint64_t bytes = take_number();
	int fd = openat(hostile.directory, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);

	/* long files are only holes */
	if (fd >= 0 && ftruncate(fd, (off_t)(bytes & INT64_MAX)))
		errno = 0;
	if (fd >= 0)
		close(fd);
}

static void make_link(const char *to, const char *name)
{
	if (symlinkat(to, hostile.directory, name)) {
		/* It is one more state of the directory. */
	}
}

static void replace(const char *name)
{
	unlinkat(hostile.directory, name, 0);
	switch (take(1) % 6) {
	case 0:
		mknodat(hostile.directory, name, S_IFIFO | 0600, 0);
		break;
	case 1:
		mkdirat(hostile.directory, name, 0700);
		break;
	case 2:
		make_link("/dev/zero", name);
		break;
	case 3:
		make_link("2.0", name);
		break;
	default:
		make_file(name);
	}
}

static void change(void)
{
	const char *name;

	switch (take(1) % 8) {
	case 0:
		make_file(take_name());
		break;
	case 1:
		name = take_name();
		fill_chunk(name, take(1));
		break;
	case 2: /* a field of the header */
		name = take_name();
		write_number(name, take(1) % (sizeof(struct process_header) / 4) * 4);
		break;
	case 3: /* a field of a chunk's */
		name = take_name();
		write_number(name, chunk_at(take(1)) + take(1) % 4 * 4);
		break;
	case 4:
		name = take_name();
		write_number(name, take(3));
		break;
	case 5:
		cut_off(take_name());
		break;
	case 6:
		name = take_name();
		if (renameat(hostile.directory, name, hostile.directory, take_name()))
			errno = 0;
		break;
	default:
		replace(take_name());
	}
}

/* libc's, whose place this takes. */
ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long local_count,
			 const struct iovec *remote, unsigned long remote_count,
			 unsigned long flags)
{
	bool now = hostile.every && !hostile.busy && hostile.at < hostile.size &&
		   ++hostile.reads % hostile.every == 0;

	if (now) {
		hostile.busy = true;
		change();
		hostile.busy = false;
	}
	/* the kernel's writes are no sanitizer's to see */
	for (unsigned long i = 0; i < local_count; i++)
		memset(local[i].iov_base, 0xa5, local[i].iov_len);
	return syscall(SYS_process_vm_readv, pid, local, local_count, remote, remote_count, flags);
}

/* ---- the recorder ------------------------------------------------------------------------------
 */

/* What reaches a perf.data. */
static void check(void *context, const void *records, size_t bytes)
{
	const uint8_t *p = records;

	(void)context;
	for (size_t at = 0; at < bytes;) {
		struct perfdata_sample_head h;

		if (bytes - at < perfdata_sample_bytes(0))
			abort();
		memcpy(&h, p + at, sizeof(h));
		if (h.header.type != PERF_RECORD_SAMPLE || h.branch_count > BRANCHES ||
		    h.header.size != perfdata_sample_bytes(h.branch_count) ||
		    h.header.size > bytes - at)
			abort();
		at += h.header.size;
	}
}

static void drain(struct trace_writer *j)
{
	uint64_t counters[COUNTER_COUNT];
	struct softlbr_error e = {0};
	int refused;

	if (trace_writer_drain(j, &e))
		abort(); /* that is for a full disk */
	trace_writer_count(j, counters, &refused);
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		if (counters[i] > INT64_MAX)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session_options options = {
		.depth = BRANCHES, .chunk_count = CHUNKS, .chunk_bytes = SESSION_PAGE};
	struct trace_writer *j = &hostile.trace_writer;
	struct softlbr_error e = {0};

	session_fit_buffers(&options);
	hostile.every = 0;
	if (trace_writer_open(j, &options, SESSION_RUN, "/dev/null", &e))
		abort();
	j->common.listener.take = check;
	hostile.directory = session_directory_open(&j->directory);
	hostile.data = data;
	hostile.size = size;
	hostile.at = 0;
	make_file("1.0");
	make_file("2.0");
	drain(j);
	while (hostile.at < hostile.size) {
		hostile.every = (unsigned)take(1) % 8;
		for (uint64_t n = take(1) % 8; n; n--)
			change();
		drain(j);
		trace_writer_set_state(j, take(1) % 2 ? SESSION_RUN : SESSION_WAIT);
		if (trace_writer_tell_again(j, &e))
			abort();
	}
	hostile.every = 0;
	close(hostile.directory);
	trace_writer_close(j);
	return 0;
}
