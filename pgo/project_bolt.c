/* SPDX-License-Identifier: MIT */
#include "pgo/project_bolt.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "pgo/own_command.h"
#include "pgo/project_train.h"
#include "pgo/trial.h"

/* ---- llvm-bolt ------------------------------------------------------------------------------ */

/* "llvm-bolt-19" is 19, "llvm-bolt" newer than all, and what is another program 0. */
static unsigned long bolt_version(const char *name)
{
	size_t length = strlen("llvm-bolt");
	char *end;
	unsigned long version;

	if (strncmp(name, "llvm-bolt", length))
		return 0;
	if (!name[length])
		return 1000;
	version = name[length] == '-' ? strtoul(name + length + 1, &end, 10) : 0;
	return version && !*end ? version : 0;
}

static void find_in_folder(const char *folder, char name[NAME_MAX + 1], unsigned long *newest)
{
	DIR *d = opendir(folder);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (bolt_version(entry->d_name) > *newest) {
			*newest = bolt_version(entry->d_name);
			snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
		}
	if (d)
		closedir(d);
}

/* The newest in PATH; "": none. */
static void find_bolt(char name[NAME_MAX + 1])
{
	char *folders = memory_copy_string(getenv("PATH") ?: ""), *folder, *rest = NULL;
	unsigned long newest = 0;

	name[0] = 0;
	for (folder = folders ? strtok_r(folders, ":", &rest) : NULL; folder;
	     folder = strtok_r(NULL, ":", &rest))
		find_in_folder(folder, name, &newest);
	memory_free(folders);
}

/* ---- a program ------------------------------------------------------------------------------ */

static int convert_for_bolt(struct project *p, size_t n, bool *has, struct softlbr_error *e)
{
	struct own_command c = {.e = e};

	own_command_word(&c, p->softlbr);
	own_command_word(&c, "convert");
	own_command_format(&c, "--binary=%s", p->programs.items[n]);
	own_command_word(&c, "--force");
	for (size_t i = 0; i < p->runs.count; i++)
		own_command_format(&c, "--profile=%s/bolt-%zu.data", p->state, i + 1);
	own_command_format(&c, "--to=fdata=%s/bolt.fdata", p->state);
	own_command_run(&c, p, "bolt-convert.log");
	*has = !c.rc && (!c.status || c.status == SOFTLBR_E_POOR);
	own_command_deinit(&c);
	return c.rc;
}

/* What llvm-bolt said of a program. */
struct bolt_answer {
	double fewer;	    /* taken branches, in percent, by its own count; NaN: it counts none */
	unsigned long left; /* functions that ran but that it can't lay out */
};

static void take_line(struct bolt_answer *a, const char *line)
{
	const char *change = strstr(line, " : taken branches ("), *info = "BOLT-INFO: ";

	if (change) /* the last one is of all functions */
		a->fewer = -strtod(change + strlen(" : taken branches ("), NULL);
	if (strstr(line, " with profile could not be optimized") &&
	    !strncmp(line, info, strlen(info)))
		a->left = strtoul(line + strlen(info), NULL, 10);
}

static struct bolt_answer read_answer(const struct project *p)
{
	struct bolt_answer a = {.fewer = NAN};
	char *path = project_path(p, NULL, "bolt.log"), *line = NULL;
	FILE *in = path ? fopen(path, "re") : NULL;
	size_t room = 0;

	while (in && getline(&line, &room, in) > 0)
		take_line(&a, line);
	free(line);
	if (in)
		fclose(in);
	memory_free(path);
	return a;
}

static void say_laid_out(struct project *p, const char *bolt, const char *program)
{
	struct bolt_answer a = read_answer(p);
	char counted[64] = "", left[96] = "";

	if (!isnan(a.fewer))
		snprintf(counted, sizeof(counted),
			 ", %.1f %% fewer taken branches by its own count", a.fewer);
	if (a.left)
		snprintf(left, sizeof(left),
			 "; it can't lay out %lu function%s that ran (bolt.log)", a.left,
			 a.left == 1 ? "" : "s");
	project_say(p, "bolt       %s laid %s out anew%s%s", bolt, file_base_name(program), counted,
		    left);
}

static int bolt_one(struct project *p, size_t n, const char *bolt, struct softlbr_error *e)
{
	static const char *const flags[] = {"-reorder-blocks=ext-tsp", "-reorder-functions=hfsort",
					    "-split-functions", "-split-all-cold", "-dyno-stats"};
	struct own_command c = {.e = e};
	const char *program = p->programs.items[n];
	char why[256];
	bool has;

	if (convert_for_bolt(p, n, &has, e))
		return -SOFTLBR_E_SYSTEM;
	if (!has)
		return 0;
	own_command_word(&c, bolt);
	own_command_word(&c, program);
	own_command_format(&c, "-o=%s/" TRIAL_BOLTED "/%zu", p->state, n + 1);
	own_command_format(&c, "-data=%s/bolt.fdata", p->state);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		own_command_word(&c, flags[i]);
	if (!own_command_run(&c, p, "bolt.log")) {
		if (c.status)
			project_say(p, "bolt       %s refuses %s: %s", bolt,
				    file_base_name(program), project_why(p, "bolt.log", why));
		else
			say_laid_out(p, bolt, program);
	}
	own_command_deinit(&c);
	return c.rc;
}

static int record_for_bolt(struct project *p, struct softlbr_error *e)
{
	char name[32];
	int rc = 0;

	for (size_t i = 0; i < p->runs.count && !rc; i++) {
		project_show(p, "recording", i, p->runs.count);
		snprintf(name, sizeof(name), "bolt-%zu", i + 1);
		rc = project_train_record_one(p, p->runs.items[i], name, false, e);
	}
	return rc;
}

int project_bolt(struct project *p, struct softlbr_error *e)
{
	char bolt[NAME_MAX + 1];
	int rc;

	find_bolt(bolt);
	if (!bolt[0] || !p->runs.count) {
		project_say(p, "bolt       %s",
			    bolt[0] ? "left out: it needs --run" : "there is no llvm-bolt in PATH");
		return 0;
	}
	/* what llvm-bolt does not make is as it was rebuilt */
	rc = trial_keep(p, TRIAL_BOLTED, e) ?: record_for_bolt(p, e);
	for (size_t i = 0; i < p->programs.count && !rc; i++)
		rc = bolt_one(p, i, bolt, e);
	return rc;
}
