/* SPDX-License-Identifier: MIT */
#include "base/file_growing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/temporaries.h"

static int open_in_place(const char *path, struct softlbr_error *e)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);

	/* a redirection is begun anew; nothing else here is a file */
	if (fd < 0 || fstat(fd, &st) || (S_ISREG(st.st_mode) && ftruncate(fd, 0))) {
		error_set_errno(e, path, "cannot create %s", path);
		if (fd >= 0)
			close(fd);
		return -SOFTLBR_E_SYSTEM;
	}
	return fd;
}

int file_growing_open(const char *path, char **temporary, struct softlbr_error *e)
{
	*temporary = NULL;
	return file_is_in_place(path) ? open_in_place(path, e)
				      : file_temporary_make(path, 0600, temporary, e);
}

/* Is there something to keep? */
static bool has_bytes(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode) && st.st_size;
}

static int exchange(const char *a, const char *b)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

/* Without a rename onto a file, for which ext4 writes the new one to the disk first
 * (auto_da_alloc): it is there since the last recording. */
static int keep(const char *temporary, const char *old)
{
	if (has_bytes(old) && !exchange(temporary, old))
		return unlink(temporary);
	return rename(temporary, old);
}

/* At each moment one of both has the name, where the file system can do that. */
static int swap(const char *path, const char *temporary, const char *old)
{
	int why;

	if (exchange(temporary, path))
		return rename(path, old) ? -1 : rename(temporary, path);
	if (!keep(temporary, old))
		return 0;
	why = errno;
	exchange(temporary, path);
	errno = why;
	return -1;
}

static int give_name(const char *path, const char *temporary, const char *old,
		     struct softlbr_error *e)
{
	if (!has_bytes(path))
		return rename(temporary, path) ? error_set_errno(e, path, "cannot create %s", path)
					       : 0;
	return swap(path, temporary, old)
		       ? error_set_errno(e, path, "cannot keep the old %s as %s", path, old)
		       : 0;
}

int file_growing_appear(const char *path, char *temporary, struct softlbr_error *e)
{
	size_t bytes = strlen(path) + sizeof(".old");
	char *old = temporary ? memory_alloc(bytes) : NULL;
	int rc;

	if (!temporary)
		return 0;
	if (old)
		snprintf(old, bytes, "%s.old", path);
	rc = old ? give_name(path, temporary, old, e) : error_set_nomem(e);
	if (rc)
		unlink(temporary);
	temporaries_forget(temporary);
	memory_free(temporary);
	memory_free(old);
	return rc;
}

void file_growing_abandon(char *temporary)
{
	if (!temporary)
		return;
	unlink(temporary);
	temporaries_forget(temporary);
	memory_free(temporary);
}
