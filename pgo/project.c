/* SPDX-License-Identifier: MIT */
#include "pgo/project.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/file_tree.h"

#define STATE_FILE "state"
#define STATE_HEAD "softlbr-pgo 1"

const char *const project_step_names[] = {
	[PROJECT_BUILD] = "build",     [PROJECT_RECORD] = "record", [PROJECT_PROFILE] = "profile",
	[PROJECT_REBUILD] = "rebuild", [PROJECT_BOLT] = "bolt",	    [PROJECT_MEASURE] = "measure",
	[PROJECT_STEPS] = NULL,
};

/* The lists of a project by the words of its file, and the first step that goes by each. */
static const struct project_list {
	const char *word;
	size_t offset;
	bool asked;
	enum project_step step;
} lists[] = {
	{"build", offsetof(struct project, builds), true, PROJECT_BUILD},
	{"clean", offsetof(struct project, cleans), true, PROJECT_STEPS},
	{"run", offsetof(struct project, runs), true, PROJECT_RECORD},
	{"test-run", offsetof(struct project, tests), true, PROJECT_MEASURE},
	{"pid", offsetof(struct project, pids), true, PROJECT_RECORD},
	{"duration", offsetof(struct project, durations), true, PROJECT_RECORD},
	{"output-filter", offsetof(struct project, filters), true, PROJECT_MEASURE},
	{"also-bolt", offsetof(struct project, bolts), true, PROJECT_BUILD},
	{"object", offsetof(struct project, objects), false, PROJECT_STEPS},
	{"program", offsetof(struct project, programs), false, PROJECT_STEPS},
	{"hottest", offsetof(struct project, hottest), false, PROJECT_STEPS},
	{"copy", offsetof(struct project, copies), false, PROJECT_STEPS},
	{"root", offsetof(struct project, roots), false, PROJECT_STEPS},
	{"measured", offsetof(struct project, measured), false, PROJECT_STEPS},
	{"#", offsetof(struct project, said), false, PROJECT_STEPS},
};
#define LISTS (sizeof(lists) / sizeof(lists[0]))

static project_texts *list_of(struct project *p, const struct project_list *l)
{
	return (project_texts *)(void *)((char *)p + l->offset);
}

static const project_texts *list_in(const struct project *p, const struct project_list *l)
{
	return (const project_texts *)(const void *)((const char *)p + l->offset);
}

const char *project_text(const project_texts *t)
{
	return t->count ? t->items[0] : NULL;
}

const char *project_root(const struct project *p)
{
	return p->roots.count ? p->roots.items[0] : p->directory;
}

int project_texts_add(project_texts *t, const char *text, struct softlbr_error *e)
{
	char *copy = memory_copy_string(text);

	if (copy && !vector_add(t, copy))
		return 0;
	memory_free(copy);
	return error_set_nomem(e);
}

void project_texts_deinit(project_texts *t)
{
	char **text;

	vector_each (t, text)
		memory_free(*text);
	vector_deinit(t);
}

char *project_path(const struct project *p, struct softlbr_error *e, const char *format, ...)
{
	char name[256], *path;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(name, sizeof(name), format, arguments);
	va_end(arguments);
	path = memory_format("%s/%s", p->state, name);
	if (!path)
		error_set_nomem(e);
	return path;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *where)
{
	(void)s;
	(void)kind;
	(void)where;
	return remove(path);
}

void project_remove(const struct project *p, const char *name)
{
	char *path = project_path(p, NULL, "%s", name);

	if (path)
		nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	memory_free(path);
}

uint64_t project_bytes(const struct project *p, const char *begin)
{
	struct file_tree files;
	uint64_t bytes = 0;
	char **name;

	file_tree_list(&files, p->state, NULL, NULL);
	vector_each (&files.paths, name) {
		char *path = memory_format("%s/%s", p->state, *name);
		struct stat s;

		if (path && !strncmp(file_base_name(*name), begin, strlen(begin)) &&
		    !lstat(path, &s))
			bytes += (uint64_t)s.st_blocks * 512;
		memory_free(path);
	}
	file_tree_deinit(&files);
	return bytes;
}

/* As compilers and make say it. */
static bool is_error(const char *line)
{
	return strstr(line, "error:") || strstr(line, "*** ");
}

const char *project_why(const struct project *p, const char *log, char out[256])
{
	char *path = project_path(p, NULL, "%s", log), *line = NULL;
	FILE *in = path ? fopen(path, "re") : NULL;
	bool found = false;
	size_t room = 0;
	ssize_t length;

	snprintf(out, 256, "it said nothing");
	while (in && !found && (length = getline(&line, &room, in)) > 0) {
		if (line[length - 1] == '\n')
			line[--length] = 0;
		found = is_error(line);
		if (length)
			snprintf(out, 256, "%s", line);
	}
	free(line);
	if (in)
		fclose(in);
	memory_free(path);
	return out;
}

/* ---- the file ------------------------------------------------------------------------------- */

static void print_escaped(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '\\')
			fputs("\\\\", out);
		else
			fputc(*text, out);
	fputc('\n', out);
}

static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text == '\\' && text[1])
			*to++ = *++text == 'n' ? '\n' : *text;
		else
			*to++ = *text;
	*to = 0;
}

static int read_value(struct project *p, const char *word, char *value, struct softlbr_error *e)
{
	unescape(value);
	for (size_t i = 0; i < LISTS; i++)
		if (!strcmp(word, lists[i].word))
			return project_texts_add(list_of(p, &lists[i]), value, e);
	for (size_t i = 0; i < PROJECT_STEPS; i++)
		if (!strcmp(word, "step") && !strcmp(value, project_step_names[i]))
			p->done[i] = true;
	if (!strcmp(word, "compiler")) {
		p->gcc |= !strcmp(value, "gcc");
		p->clang |= !strcmp(value, "clang");
	} else if (!strcmp(word, "cleaned")) {
		p->cleaned = true;
	} else if (!strcmp(word, "kept")) {
		snprintf(p->kept, sizeof(p->kept), "%s", value);
	}
	return 0;
}

static int read_state(struct project *p, FILE *in, const char *path, struct softlbr_error *e)
{
	char *line = NULL;
	size_t room = 0, number = 0;
	ssize_t length;
	int rc = 0;

	while (!rc && (length = getline(&line, &room, in)) > 0) {
		char *value;

		if (line[length - 1] == '\n')
			line[length - 1] = 0;
		if (!number++) {
			if (strcmp(line, STATE_HEAD))
				rc = error_set_at(e, SOFTLBR_E_INPUT, path, 1,
						  "%s is no state of softlbr pgo: begin anew with "
						  "--fresh",
						  path);
			continue;
		}
		value = strchr(line, ' ');
		if (value) {
			*value = 0;
			rc = read_value(p, line, value + 1, e);
		}
	}
	free(line);
	return rc;
}

/* Nothing in the state's directory is for a repository. */
static int write_ignore(const struct project *p, struct softlbr_error *e)
{
	char *path = project_path(p, e, ".gitignore");
	struct file_output out;
	int rc = path ? 0 : -SOFTLBR_E_SYSTEM;

	if (!rc && access(path, F_OK)) {
		rc = file_output_open(&out, path, e);
		if (!rc) {
			fputs("*\n", out.stream);
			rc = file_output_commit(&out, e);
		}
	}
	memory_free(path);
	return rc;
}

int project_open(struct project *p, struct softlbr_error *e)
{
	char *path = project_path(p, e, STATE_FILE);
	int rc = path ? file_directory_make(p->state, 0777, NULL, e) ?: write_ignore(p, e)
		      : -SOFTLBR_E_SYSTEM;
	FILE *in = rc ? NULL : fopen(path, "re");

	if (in) {
		rc = read_state(p, in, path, e);
		fclose(in);
	} else if (!rc && errno != ENOENT) {
		rc = error_set_errno(e, path, "cannot read %s", path);
	}
	memory_free(path);
	return rc;
}

static void write_list(const struct project *p, const struct project_list *l, FILE *out)
{
	const project_texts *t = list_in(p, l);
	char *const *text;

	vector_each (t, text) {
		fprintf(out, "%s ", l->word);
		print_escaped(out, *text);
	}
}

int project_save(const struct project *p, struct softlbr_error *e)
{
	char *path = project_path(p, e, STATE_FILE);
	struct file_output out;
	int rc = path ? file_output_open(&out, path, e) : -SOFTLBR_E_SYSTEM;

	if (!rc) {
		fprintf(out.stream, STATE_HEAD "\n");
		for (size_t i = 0; i < LISTS; i++)
			write_list(p, &lists[i], out.stream);
		if (p->gcc)
			fputs("compiler gcc\n", out.stream);
		if (p->clang)
			fputs("compiler clang\n", out.stream);
		if (p->cleaned)
			fputs("cleaned yes\n", out.stream);
		if (p->kept[0])
			fprintf(out.stream, "kept %s\n", p->kept);
		for (size_t i = 0; i < PROJECT_STEPS; i++)
			if (p->done[i])
				fprintf(out.stream, "step %s\n", project_step_names[i]);
		rc = file_output_commit(&out, e);
	}
	memory_free(path);
	return rc;
}

void project_deinit(struct project *p)
{
	for (size_t i = 0; i < LISTS; i++)
		project_texts_deinit(list_of(p, &lists[i]));
}

/* ---- what is asked for ---------------------------------------------------------------------- */

/* The first @measured figures stay. */
static void forget(struct project *p, enum project_step step, size_t measured)
{
	for (size_t i = step; i < PROJECT_STEPS; i++)
		p->done[i] = false;
	while (p->measured.count > measured)
		memory_free(p->measured.items[--p->measured.count]);
}

void project_forget(struct project *p, enum project_step step)
{
	forget(p, step, 0);
}

/* How many they begin with alike. */
static size_t count_equal(const project_texts *a, const project_texts *b)
{
	size_t i = 0;

	while (i < a->count && i < b->count && !strcmp(a->items[i], b->items[i]))
		i++;
	return i;
}

int project_ask(struct project *p, const struct project *asked, struct softlbr_error *e)
{
	int rc = 0;

	for (size_t i = 0; i < LISTS && !rc; i++) {
		const project_texts *from = list_in(asked, &lists[i]);
		project_texts *to = list_of(p, &lists[i]);

		size_t equal = count_equal(from, to);

		if (!lists[i].asked || !from->count || (equal == from->count && equal == to->count))
			continue;
		/* what was measured of other runs is still so */
		forget(p, lists[i].step, to == &p->tests ? p->runs.count + equal : 0);
		project_texts_deinit(to);
		for (size_t t = 0; t < from->count && !rc; t++)
			if (*from->items[t]) /* empty: none any more */
				rc = project_texts_add(to, from->items[t], e);
	}
	return rc;
}

/* ---- what is said --------------------------------------------------------------------------- */

void project_say(struct project *p, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	project_texts_add(&p->said, line, NULL);
	if (p->listener.say)
		p->listener.say(p->listener.context, line);
}

void project_show(const struct project *p, const char *what, size_t done, size_t total)
{
	if (p->listener.show)
		p->listener.show(p->listener.context, what, done, total);
}
