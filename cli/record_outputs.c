/* SPDX-License-Identifier: MIT */
#include "cli/record_outputs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file_guard.h"
#include "base/memory.h"
#include "collector/recorder/command.h"
#include "formats/perfdata_write.h"

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* The program, of a command or a process, and what the command may read. */
static int guard_inputs(struct file_guard *g, const struct recorder_options *o,
			struct softlbr_error *e)
{
	char path[PATH_MAX];
	int rc = 0;

	if (o->pid) {
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)o->pid);
		return file_guard_input(g, path, e);
	}
	if (!command_find(o->command[0], path, sizeof(path)))
		rc = file_guard_input(g, path, e);
	for (char *const *argument = o->command + 1; !rc && *argument; argument++)
		if (is_file(*argument))
			rc = file_guard_input(g, *argument, e);
	return rc;
}

/* OUTPUT.old, or NULL without memory. */
static char *old_path(const char *output)
{
	size_t bytes = strlen(output) + sizeof(".old");
	char *old = memory_alloc(bytes);

	if (old)
		snprintf(old, bytes, "%s.old", output);
	return old;
}

static int check(struct file_guard *g, const struct recorder_options *o, const char *stats,
		 const char *old, struct softlbr_error *e)
{
	int rc = guard_inputs(g, o, e);

	if (!rc)
		rc = file_guard_output(g, o->output, e);
	if (!rc)
		rc = file_guard_output(g, old, e);
	if (!rc)
		rc = file_guard_output(g, stats, e);
	return rc ? rc : file_guard_output(g, o->control.socket_path, e);
}

/* A socket is replaced, but no file. */
static bool is_socket(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	(void)data;
	(void)size;
	return false;
}

static int check_kinds(const struct recorder_options *o, const char *old, struct softlbr_error *e)
{
	const struct file_guard_kind socket = {.name = "a socket", .is = is_socket};
	int rc = file_guard_replace(o->output, &perfdata_kind, e);

	if (!rc)
		rc = file_guard_replace(old, &perfdata_kind, e);
	return rc ? rc : file_guard_replace(o->control.socket_path, &socket, e);
}

int record_outputs_check(const struct recorder_options *o, const char *stats, bool force,
			 struct softlbr_error *e)
{
	char *old = old_path(o->output);
	struct file_guard g = {0};
	int rc = old ? check(&g, o, stats, old, e) : error_set_nomem(e);

	if (!rc && !force)
		rc = check_kinds(o, old, e);
	file_guard_deinit(&g);
	memory_free(old);
	return rc;
}
