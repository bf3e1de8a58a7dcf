/* SPDX-License-Identifier: MIT */
#include "collector/kernel/task_status.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>

#include "collector/kernel/syscall.h"

#define BLOCK_BYTES 4096u /* nearly always all of it */
/* The part of a line that is of interest: "Seccomp_filters:\t1". */
#define LINE_BYTES 40u

struct line {
	char text[LINE_BYTES];
	unsigned length;
};

static unsigned digit_of(char c)
{
	return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
	       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
				      : 16;
}

/* The number behind @name in the line, if it is that line. */
static bool number_in(const struct line *l, const char *name, unsigned base, uint64_t *out)
{
	size_t at = strlen(name);

	if (strncmp(l->text, name, at))
		return false;
	while (l->text[at] == ' ' || l->text[at] == '\t')
		at++;
	for (*out = 0; digit_of(l->text[at]) < base; at++)
		*out = *out * base + digit_of(l->text[at]);
	return true;
}

static bool number(const struct line *l, const char *name, uint32_t *out)
{
	uint64_t wide;
	bool found = number_in(l, name, 10, &wide);

	if (found)
		*out = (uint32_t)wide;
	return found;
}

/* A set of signals. */
static bool signals(const struct line *l, const char *name, uint64_t *out)
{
	return number_in(l, name, 16, out);
}

/* The number of filters is told since Linux 5.9, below whether there are any. */
static void take_line(struct line *l, struct task_status *out)
{
	uint32_t mode;

	l->text[l->length < LINE_BYTES ? l->length : LINE_BYTES - 1] = 0;
	l->length = 0;
	if (!strncmp(l->text, "State:\t", 7))
		out->state = l->text[7];
	if (number(l, "Tgid:", &out->process) || number(l, "TracerPid:", &out->tracer) ||
	    number(l, "Seccomp_filters:", &out->filters) || signals(l, "SigPnd:", &out->pending) ||
	    signals(l, "SigBlk:", &out->blocked))
		return;
	if (number(l, "Seccomp:", &mode) && mode)
		out->filters = 1;
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
