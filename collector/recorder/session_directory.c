/* SPDX-License-Identifier: MIT */
#include "collector/recorder/session_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/shared/session.h"
#include "collector/shared/trusted.h"

static const char *session_directory_place(unsigned i)
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

/* Unlink what is in an open directory; directories with something in them stay. */
static void session_directory_empty(int directory)
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

/* ---- directories of recorders that were killed --------------------------------------------- */

/* Others may fill the places, but not keep us there. */
#define NAMES_MOST 10000u

/* Only what the kernel has marked: a process id says nothing of other namespaces. */
static bool is_orphaned(int directory)
{
	struct session_control c;
	struct stat st;
	bool orphaned;
	int fd;

	if (fstat(directory, &st) || st.st_uid != geteuid())
		return false;
	fd = openat(directory, "control",
		    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	orphaned = pread(fd, &c, sizeof(c), 0) == sizeof(c) && c.magic == SESSION_MAGIC &&
		   trusted_is_orphaned(&c);
	close(fd);
	return orphaned;
}

static void remove_if_orphaned(int place, const char *name)
{
	int fd = openat(place, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return;
	if (is_orphaned(fd)) {
		session_directory_empty(fd);
		unlinkat(place, name, AT_REMOVEDIR);
	}
	close(fd);
}

static void remove_from(const char *place)
{
	DIR *d = opendir(place);
	struct dirent *entry;

	for (unsigned n = 0; n < NAMES_MOST && d && (entry = readdir(d)); n++)
		if (!strncmp(entry->d_name, SESSION_DIRECTORY_PREFIX,
			     strlen(SESSION_DIRECTORY_PREFIX)))
			remove_if_orphaned(dirfd(d), entry->d_name);
	if (d)
		closedir(d);
}

void session_directory_remove_orphans(const struct session_directory *own)
{
	for (unsigned i = 0; i < SESSION_DIRECTORY_PLACES; i++) {
		const char *place = session_directory_place(i);

		remove_from(place);
		if (!strncmp(own->path, place, strlen(place)))
			break;
	}
}
