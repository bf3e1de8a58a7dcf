/* SPDX-License-Identifier: MIT */
#include "cli/missing_page.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/file_output.h"
#include "base/printable.h"

static struct {
	const char *program;
	int status;
	bool ending;
} guard;

/* A line of /proc/self/maps (proc_pid_maps(5)), "START-END ... PATH": the path of what is mapped at
 * @address, or NULL. */
static char *path_of_line(char *line, uintptr_t address)
{
	uintptr_t bounds[2] = {0};
	char *at = line;

	for (unsigned i = 0; i < 2; i++, at++)
		for (; *at && *at != '-' && *at != ' '; at++)
			bounds[i] = bounds[i] * 16 +
				    (uintptr_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	return bounds[0] <= address && address < bounds[1] ? strchr(at, '/') : NULL;
}

/* The file that is mapped at @address, in @line, as it has been since the page was missed; by
 * system calls alone. */
static const char *path_at(uintptr_t address, char line[2 * PATH_MAX])
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	const char *path = NULL;
	size_t used = 0;

	while (fd >= 0 && !path && used + 1 < 2 * PATH_MAX && read(fd, line + used, 1) == 1) {
		if (line[used] != '\n') {
			used++;
			continue;
		}
		line[used] = 0;
		used = 0;
		path = path_of_line(line, address);
	}
	if (fd >= 0)
		close(fd);
	return path;
}

static void put(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0) {
		/* There is nobody to tell. */
	}
}

/* Another thread may be at the same. */
static void end_by_missing_page(int number, siginfo_t *info, void *context)
{
	char line[2 * PATH_MAX];
	const char *path;

	(void)context;
	if (info->si_code <= 0) { /* somebody sent it */
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	while (!atomic_swap_if(&guard.ending, false, true))
		pause();
	path = path_at((uintptr_t)info->si_addr, line);
	if (path)
		printable_make((char *)path);
	put(guard.program);
	put(": error: ");
	put(path ? path : "a mapped file");
	put(" became shorter, or its disk failed, while it was read; try again when nothing "
	    "writes it\n");
	file_temporaries_remove();
	_exit(guard.status);
}

void missing_page_guard(const char *program, int status)
{
	struct sigaction action = {.sa_sigaction = end_by_missing_page, .sa_flags = SA_SIGINFO};

	guard.program = program;
	guard.status = status;
	sigaction(SIGBUS, &action, NULL);
}
