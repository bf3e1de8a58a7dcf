/* SPDX-License-Identifier: MIT */
/*
 * convert without --binary, or with the name of a module for it: the recordings are read first, and
 * then converted for the binary that is chosen among their modules.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/convert.h"
#include "converter/pipeline/recorded_program.h"

/* Is the program the smaller part of what was recorded? */
static void report_larger(const struct recorded_program *p)
{
	if (p->largest)
		fprintf(stderr,
			"%.0f %% of the %s are in %s: convert that with --binary %s, or all modules "
			"with --all\n",
			100 * p->largest_share, p->unit, p->largest, file_base_name(p->largest));
}

/* One of the modules of @counted. */
static int choose(const struct convert *c, struct conversion *counted, struct recorded_program *p,
		  struct softlbr_error *e)
{
	const struct convert_input *first = c->profiles.items;
	const struct recorded_program_options how = {
		.name = c->binary_path, .search = {&c->search, first->path}, .any_build = c->force};
	struct conversion modules;
	int rc = conversion_init_resolved(&modules, counted, NULL, e);

	if (!rc)
		rc = recorded_program_choose(p, &modules, &how, e);
	conversion_deinit(&modules);
	return rc;
}

/* What can't be read has no modules that --binary could name (and a path is no module's name): is
 * there no such file? */
static int unread(struct convert *c, const struct softlbr_error *e)
{
	conversion_deinit(&c->conversion);
	if (c->binary_path) {
		if (!strchr(c->binary_path, '/'))
			convert_report_warning("no module %s was looked for: %s", c->binary_path,
					       e->text);
		return convert_one(c, NULL);
	}
	convert_report_error(e);
	return e->code;
}

int convert_program(struct convert *c)
{
	struct recorded_program program = {0};
	struct softlbr_error e = {0};
	struct conversion counted;
	int status;

	c->how.read.keep = true;
	if (convert_read(c, &e))
		return unread(c, &e);
	counted = c->conversion;
	c->conversion = (struct conversion){0};
	/* it is an input, too */
	if (choose(c, &counted, &program, &e) || file_guard_input(c->guard, program.path, &e)) {
		convert_report_error(&e);
		status = e.code;
	} else {
		report_larger(&program);
		c->binary_path = program.path;
		status = convert_one(c, &counted);
	}
	conversion_deinit(&counted);
	recorded_program_deinit(&program);
	return status;
}
