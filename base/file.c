/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/mapped_files.h"
#include "base/memory.h"
#include "base/vector.h"

/* What a pipe gives is kept in memory up to here. */
#define READ_IN_MEMORY_BYTES (8u << 20)
#define READ_CHUNK_BYTES     (1u << 16)

int file_spool_open(const char *path, struct softlbr_error *e)
{
	const char *directory = getenv("TMPDIR");
	int fd;

	if (!directory || !*directory)
		directory = "/var/tmp"; /* /tmp is memory on many machines */
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		error_set_errno(e, path, "cannot make a temporary file in %s for %s (set TMPDIR)",
				directory, path);
	return fd;
}

static int view_map(struct file_view *v, int fd, const struct stat *st, const char *path,
		    struct softlbr_error *e)
{
	size_t size = (size_t)st->st_size;
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	int rc = 0;

	if (p == MAP_FAILED)
		return error_set_errno(e, path, "cannot map %s", path);
	if (st->st_nlink) /* else it is a spool, which nobody else can open */
		rc = mapped_files_add(p, path, st, e);
	if (rc)
		munmap(p, size);
	else
		*v = (struct file_view){.data = p, .size = size, .mapped = true};
	return rc;
}

int file_view_take(struct file_view *v, int spool, const char *path, struct softlbr_error *e)
{
	struct stat st;
	int rc = 0;

	*v = (struct file_view){0};
	if (fstat(spool, &st))
		rc = error_set_errno(e, path, "cannot read %s", path);
	else if (st.st_size > 0)
		rc = view_map(v, spool, &st, path, e);
	close(spool);
	return rc;
}

/* At most @room bytes; 0 at the end, negative on errors. */
static ssize_t read_some(int fd, uint8_t *to, size_t room)
{
	ssize_t got;

	do
		got = read(fd, to, room);
	while (got < 0 && errno == EINTR);
	return got;
}

static int write_all(int fd, const uint8_t *from, size_t size)
{
	while (size) {
		ssize_t put = write(fd, from, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return -1;
		from += put;
		size -= (size_t)put;
	}
	return 0;
}

/* Everything from @fd, of which @head has been read already. */
static int view_spool(struct file_view *v, int fd, const uint8_t *head, size_t head_bytes,
		      const char *path, struct softlbr_error *e)
{
	int spool = file_spool_open(path, e);
	uint8_t chunk[READ_CHUNK_BYTES];
	ssize_t got = 0;

	if (spool < 0)
		return -SOFTLBR_E_SYSTEM;
	if (!write_all(spool, head, head_bytes))
		while ((got = read_some(fd, chunk, sizeof(chunk))) > 0)
			if (write_all(spool, chunk, (size_t)got))
				break;
	if (!got)
		return file_view_take(v, spool, path, e);
	error_set_errno(e, path, got < 0 ? "cannot read %s" : "cannot spool %s", path);
	close(spool);
	return -SOFTLBR_E_SYSTEM;
}

static int view_read(struct file_view *v, int fd, const char *path, struct softlbr_error *e)
{
	VECTOR(uint8_t) bytes = {0};
	ssize_t got = 1;
	int rc = 0;

	while (got > 0 && bytes.count < READ_IN_MEMORY_BYTES) {
		if (vector_reserve(&bytes, READ_CHUNK_BYTES)) {
			vector_deinit(&bytes);
			return error_set_nomem(e);
		}
		got = read_some(fd, bytes.items + bytes.count, READ_CHUNK_BYTES);
		if (got > 0)
			bytes.count += (size_t)got;
	}
	if (!got) {
		*v = (struct file_view){.data = bytes.items, .size = bytes.count};
		return 0;
	}
	rc = got < 0 ? error_set_errno(e, path, "cannot read %s", path)
		     : view_spool(v, fd, bytes.items, bytes.count, path, e);
	vector_deinit(&bytes);
	return rc;
}

const char *file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int file_directory_make(const char *path, unsigned mode, bool *made, struct softlbr_error *e)
{
	bool is_new = !mkdir(path, mode);
	struct stat st;

	if (made)
		*made = is_new;
	if (is_new)
		return 0;
	if (errno == EEXIST && !stat(path, &st) && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	else if (errno == EEXIST && !access(path, W_OK))
		return 0;
	return error_set_errno(e, path, "cannot write to the directory %s", path);
}

bool file_is_planted(const char *path)
{
	int length = (int)(file_base_name(path) - path);
	struct stat folder, own;
	char parent[PATH_MAX];

	snprintf(parent, sizeof(parent), "%.*s", length, path);
	if (stat(length ? parent : ".", &folder) || !(folder.st_mode & S_IWOTH))
		return false;
	return !lstat(path, &own) && own.st_uid && own.st_uid != geteuid();
}

int file_open_found(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st)) /* before it is opened: that may do something to a device */
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = ENOENT;
		return -1;
	}
	if (file_is_planted(path)) {
		errno = EPERM;
		return -1;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = ENOENT;
	return -1;
}

int file_view_open_found(struct file_view *v, const char *path, struct softlbr_error *e)
{
	int fd = file_open_found(path);

	*v = (struct file_view){0};
	if (fd >= 0)
		return file_view_take(v, fd, path, e);
	return error_set_errno(e, path,
			       errno == EPERM ? "%s is another user's: not read" : "cannot open %s",
			       path);
}

int file_view_open(struct file_view *v, const char *path, struct softlbr_error *e)
{
	bool standard_input = !strcmp(path, "-");
	int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int rc = 0;

	*v = (struct file_view){0};
	if (fd < 0 || fstat(fd, &st)) {
		rc = error_set_errno(e, path, "cannot open %s", path);
	} else if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		rc = error_set_errno(e, path, "cannot read %s", path);
	} else if (S_ISREG(st.st_mode) && st.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0) {
		rc = view_map(v, fd, &st, path, e);
	} else {
		rc = view_read(v, fd, path, e);
	}
	if (fd >= 0 && !standard_input)
		close(fd);
	return rc;
}

void file_view_close(struct file_view *v)
{
	if (v->mapped && !v->borrowed) {
		mapped_files_remove(v->data);
		munmap((void *)v->data, v->size);
	} else if (!v->borrowed) {
		memory_free((void *)v->data);
	}
	*v = (struct file_view){0};
}
