/* SPDX-License-Identifier: MIT */
#include "converter/gcc/keys/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

static void child_take(int fd, int as)
{
	if (fd >= 0 && dup2(fd, as) < 0)
		_exit(126);
}

int child_process_run(char *const argv[], int in, int out, int err)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (!pid) {
		child_take(in, STDIN_FILENO);
		child_take(out, STDOUT_FILENO);
		child_take(err, STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static char *read_all(int fd)
{
	struct stat s;
	char *text = fstat(fd, &s) ? NULL : memory_alloc((size_t)s.st_size + 1);
	size_t have = 0;

	while (text && have < (size_t)s.st_size) {
		ssize_t n = pread(fd, text + have, (size_t)s.st_size - have, (off_t)have);

		if (n <= 0)
			break;
		have += (size_t)n;
	}
	if (text)
		text[have] = 0;
	return text;
}

char *child_process_errors(char *const argv[], int *status)
{
	int errors = memfd_create("errors", MFD_CLOEXEC);
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	char *text = NULL;

	*status = -1;
	if (errors >= 0 && nothing >= 0)
		*status = child_process_run(argv, nothing, nothing, errors);
	if (*status != -1)
		text = read_all(errors);
	if (errors >= 0)
		close(errors);
	if (nothing >= 0)
		close(nothing);
	return text;
}
