/* SPDX-License-Identifier: MIT */
#include "collector/kernel/task_status.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>

#include "collector/kernel/syscall.h"

#define BLOCK_BYTES 4096u /* nearly always all of it */
/* The part of a line that is of interest: "Uid:\t", and three users. */
#define LINE_BYTES 48u

struct line {
	char text[LINE_BYTES];
	unsigned length;
};

/* What a line begins with, and where its numbers go: uint32_t, or a set of signals. */
static const struct field {
	char name[28];
	uint8_t count, base;
	size_t offset;
} fields[] = {
#define NUMBERS(name, count, member)                                  \
	{                                                             \
		name, count, 10, offsetof(struct task_status, member) \
	}
#define SIGNALS(name, member)                                     \
	{                                                         \
		name, 1, 16, offsetof(struct task_status, member) \
	}
	NUMBERS("Tgid:", 1, process),
	NUMBERS("PPid:", 1, parent),
	NUMBERS("TracerPid:", 1, tracer),
	NUMBERS("Seccomp_filters:", 1, filters),
	NUMBERS("Threads:", 1, threads),
	NUMBERS("Kthread:", 1, kernel), /* Linux 6.8 */
	NUMBERS("Uid:", 3, users),
	NUMBERS("SigQ:", 2, queue),
	SIGNALS("SigPnd:", pending),
	SIGNALS("ShdPnd:", pending_of_process),
	SIGNALS("SigBlk:", blocked),
	SIGNALS("SigIgn:", ignored),
	SIGNALS("SigCgt:", caught),
	NUMBERS("voluntary_ctxt_switches:", 1, waits),
	NUMBERS("nonvoluntary_ctxt_switches:", 1, preemptions),
};

static unsigned digit_of(char c)
{
	return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
	       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
				      : 16;
}

static const char *parse_number(const char *at, unsigned base, uint64_t *n)
{
	while (*at == ' ' || *at == '\t' || *at == '/')
		at++;
	for (*n = 0; digit_of(*at) < base; at++)
		*n = *n * base + digit_of(*at);
	return at;
}

static void take_field(const struct field *f, const char *at, struct task_status *out)
{
	uint8_t *to = (uint8_t *)out + f->offset;
	size_t bytes = f->base == 10 ? sizeof(uint32_t) : sizeof(uint64_t);
	uint64_t n;

	for (unsigned i = 0; i < f->count; i++) {
		at = parse_number(at, f->base, &n);
		memcpy(to + i * bytes, &n, bytes); /* little-endian */
	}
}

static void take_line(struct line *l, struct task_status *out)
{
	l->text[l->length < LINE_BYTES ? l->length : LINE_BYTES - 1] = 0;
	l->length = 0;
	if (!strncmp(l->text, "State:\t", 7))
		out->state = l->text[7];
	if (!strncmp(l->text, "Seccomp:\t", 9))
		out->filters = l->text[9] != '0'; /* how many is told below, since Linux 5.9 */
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t length;

		if (l->text[0] != fields[i].name[0]) /* most of them */
			continue;
		length = strlen(fields[i].name);
		if (!strncmp(l->text, fields[i].name, length))
			take_field(&fields[i], l->text + length, out);
	}
}

static void take_block(const char *block, size_t bytes, struct line *l, struct task_status *out)
{
	for (size_t i = 0; i < bytes; i++) {
		if (block[i] == '\n')
			take_line(l, out);
		else if (l->length < LINE_BYTES)
			l->text[l->length++] = block[i];
	}
}

static void read_status(const char *path, struct task_status *out)
{
	long fd = syscall_open(path, O_RDONLY);
	struct line line = {.length = 0};
	char block[BLOCK_BYTES];
	long got;

	*out = (struct task_status){0};
	if (fd < 0)
		return;
	do {
		got = syscall_read(fd, block, sizeof(block));
		if (got > 0)
			take_block(block, (size_t)got, &line, out);
	} while (got == sizeof(block)); /* less is all that there is: seq_file.c of the kernel */
	syscall_close(fd);
}

void task_status_own(struct task_status *out)
{
	read_status("/proc/thread-self/status", out);
}

void task_status_filters(struct task_status *out)
{
	*out = (struct task_status){0};
	if (syscall_6(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0))
		task_status_own(out);
	else
		out->process = syscall_pid();
}

void task_status_of(uint32_t tid, struct task_status *out)
{
	char path[TASK_PATH_BYTES];

	task_path(path, tid, "status");
	read_status(path, out);
}

bool task_program(uint32_t pid, char *path, size_t bytes)
{
	char link[TASK_PATH_BYTES];
	long length;

	task_path(link, pid, "exe");
	length = syscall_6(SYS_readlinkat, (uint64_t)AT_FDCWD, (uintptr_t)link, (uintptr_t)path,
			   bytes - 1, 0, 0);
	if (length <= 0)
		return false;
	path[length] = 0;
	return true;
}

/* ---- paths --------------------------------------------------------------------------------- */

char *task_path_number(char *at, uint64_t n)
{
	char digits[20];
	unsigned count = 0;

	do
		digits[count++] = (char)('0' + n % 10);
	while (n /= 10);
	while (count)
		*at++ = digits[--count];
	*at = 0;
	return at;
}

void task_path(char path[TASK_PATH_BYTES], uint32_t tid, const char *name)
{
	char *at;

	strcpy(path, "/proc/");
	at = task_path_number(path + strlen(path), tid);
	*at++ = '/';
	strcpy(at, name);
}
