/* SPDX-License-Identifier: MIT */
#include "collector/session/session_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

const char *session_directory_place(unsigned i)
{
	const char *temporary = getenv("TMPDIR");

	return !i ? "/dev/shm" : temporary ? temporary : "/tmp";
}

int session_directory_make(char path[SESSION_DIRECTORY_BYTES], struct softlbr_error *e)
{
	for (unsigned i = 0; i < SESSION_DIRECTORY_PLACES; i++) {
		if (snprintf(path, SESSION_DIRECTORY_BYTES,
			     "%s/" SESSION_DIRECTORY_PREFIX "%d-XXXXXX", session_directory_place(i),
			     (int)getpid()) < (int)SESSION_DIRECTORY_BYTES &&
		    mkdtemp(path))
			return 0;
	}
	path[0] = 0;
	return error_set_errno(e, NULL, "cannot make a session directory in /dev/shm or %s",
			       session_directory_place(1));
}

void session_directory_empty(int directory)
{
	int copy = fcntl(directory, F_DUPFD_CLOEXEC, 0);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			unlinkat(directory, entry->d_name, 0);
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
}

void session_directory_remove(const char *path)
{
	int fd = path[0] ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	session_directory_empty(fd);
	close(fd);
	rmdir(path);
}
