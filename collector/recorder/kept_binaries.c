/* SPDX-License-Identifier: MIT */
#include "collector/recorder/kept_binaries.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "collector/recorder/synthesize.h"

#define PIECE_BYTES (64u << 10)

/* The file, if it is a regular one and still what was recorded; else -1. */
static int open_recorded(const struct perfdata_module *module)
{
	int fd = *module->path == '/'
			 ? open(module->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
			 : -1;
	struct build_id id = {0};
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		synthesize_build_id(fd, &id);
	if (id.size && id.size == module->build_id.size &&
	    !memcmp(id.bytes, module->build_id.bytes, id.size))
		return fd;
	close(fd);
	return -1;
}

/* DIRECTORY/.build-id/ab/cdef..., whose directories are made. 0 or a negative code. */
static int make_place(const struct build_id *id, const char *output, char place[PATH_MAX],
		      struct softlbr_error *e)
{
	int length = (int)(file_base_name(output) - output), rc;
	char text[2 * sizeof(id->bytes) + 1];

	for (unsigned i = 0; i < id->size; i++)
		snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
	snprintf(place, PATH_MAX, "%.*s.build-id", length, output);
	rc = file_directory_make(place, 0777, NULL, e);
	snprintf(place, PATH_MAX, "%.*s.build-id/%.2s", length, output, text);
	if (!rc)
		rc = file_directory_make(place, 0777, NULL, e);
	snprintf(place, PATH_MAX, "%.*s.build-id/%.2s/%s", length, output, text, text + 2);
	return rc;
}

static int copy_all(int from, FILE *to, const char *path, struct softlbr_error *e)
{
	char piece[PIECE_BYTES];
	ssize_t got;

	while ((got = read(from, piece, sizeof(piece))) > 0)
		if (fwrite(piece, 1, (size_t)got, to) != (size_t)got)
			return error_set_errno(e, path, "cannot write %s", path);
	return got ? error_set_errno(e, path, "cannot keep a copy as %s", path) : 0;
}

static int copy_module(const struct perfdata_module *module, const char *output,
		       struct softlbr_error *e)
{
	struct file_output copy;
	char place[PATH_MAX];
	int fd = open_recorded(module), rc;

	if (fd < 0)
		return 0;
	rc = make_place(&module->build_id, output, place, e);
	if (!rc && access(place, F_OK)) {
		rc = file_output_open(&copy, place, e);
		if (!rc)
			rc = file_output_end(&copy, copy_all(fd, copy.stream, place, e), e);
	}
	close(fd);
	return rc;
}

int kept_binaries_copy(const struct perfdata_writer *w, const char *output, struct softlbr_error *e)
{
	const struct perfdata_module *module;
	int rc = 0;

	vector_each (&w->modules, module)
		if (!rc && module->build_id.size > 1)
			rc = copy_module(module, output, e);
	return rc;
}
