/* SPDX-License-Identifier: MIT */
#include "pgo/own_command.h"

#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/error.h"
#include "pgo/child.h"

void own_command_word(struct own_command *c, const char *word)
{
	if (!c->rc && vector_add(&c->words, (char *)word))
		c->rc = error_set_nomem(c->e);
}

void own_command_format(struct own_command *c, const char *format, ...)
{
	char text[8192];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!c->rc && length >= (int)sizeof(text))
		c->rc = error_set(c->e, SOFTLBR_E_USAGE, text, "%.100s...: too long", text);
	if (!c->rc)
		c->rc = project_texts_add(&c->formatted, text, c->e);
	if (!c->rc)
		own_command_word(c, c->formatted.items[c->formatted.count - 1]);
}

/* To be closed; below 0 there is an error. */
static int open_output(struct own_command *c, const struct project *p, const char *name)
{
	char *path = project_path(p, c->e, "%s", name);
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;

	if (!c->rc && fd < 0)
		c->rc = path ? error_set_errno(c->e, path, "cannot write %s", path)
			     : -SOFTLBR_E_SYSTEM;
	memory_free(path);
	return fd;
}

int own_command_run(struct own_command *c, const struct project *p, const char *log)
{
	int err = open_output(c, p, log), out = c->out ? open_output(c, p, c->out) : err;
	struct child child = {.directory = p->directory, .out = out, .err = err};

	own_command_word(c, NULL);
	if (!c->rc) {
		child.words = c->words.items;
		c->rc = child_run(&child, c->e);
		c->status = child.status;
	}
	if (out >= 0 && out != err)
		close(out);
	if (err >= 0)
		close(err);
	return c->rc;
}

void own_command_deinit(struct own_command *c)
{
	vector_deinit(&c->words);
	project_texts_deinit(&c->formatted);
}
