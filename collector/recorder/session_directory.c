/* SPDX-License-Identifier: MIT */
#include "collector/recorder/session_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

const char *session_directory_place(unsigned i)
{
	const char *temporary = secure_getenv("TMPDIR");

	return !i ? "/dev/shm" : temporary ? temporary : "/tmp";
}

static bool make_in(const char *place, struct session_directory *d)
{
	struct stat st;

	if (snprintf(d->path, sizeof(d->path), "%s/" SESSION_DIRECTORY_PREFIX "%d-XXXXXX", place,
		     (int)getpid()) >= (int)sizeof(d->path) ||
	    !mkdtemp(d->path))
		return false;
	if (lstat(d->path, &st)) {
		rmdir(d->path);
		return false;
	}
	d->device = st.st_dev;
	d->inode = st.st_ino;
	return true;
}

int session_directory_make(struct session_directory *d, struct softlbr_error *e)
{
	for (unsigned i = 0; i < SESSION_DIRECTORY_PLACES; i++)
		if (make_in(session_directory_place(i), d))
			return 0;
	d->path[0] = 0;
	return error_set_errno(e, NULL, "cannot make a session directory in /dev/shm or %s",
			       session_directory_place(1));
}

int session_directory_open(const struct session_directory *d)
{
	struct stat st;
	int fd = d->path[0] ? open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_dev == d->device && st.st_ino == d->inode)
		return fd;
	close(fd);
	return -1;
}

void session_directory_empty(int directory)
{
	int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    unlinkat(directory, entry->d_name, 0))
			unlinkat(directory, entry->d_name, AT_REMOVEDIR);
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
}

void session_directory_remove(const struct session_directory *d)
{
	int fd = session_directory_open(d);

	if (fd < 0)
		return;
	session_directory_empty(fd);
	close(fd);
	rmdir(d->path); /* of a link or a file, this fails */
}
