/* SPDX-License-Identifier: MIT */
#include "collector/recorder/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/shared/session.h"
#include "collector/recorder/session_directory.h"

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
		   session_is_orphaned(&c);
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

void leftovers_remove(const struct session_directory *own)
{
	for (unsigned i = 0; i < SESSION_DIRECTORY_PLACES; i++) {
		const char *place = session_directory_place(i);

		remove_from(place);
		if (!strncmp(own->path, place, strlen(place)))
			break;
	}
}
