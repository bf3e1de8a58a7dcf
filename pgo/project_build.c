/* SPDX-License-Identifier: MIT */
#include "pgo/project_build.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_tree.h"
#include "base/strings.h"
#include "converter/gcc/keys/compiler_wrappers.h"
#include "converter/gcc/keys/key_build.h"
#include "pgo/build_plan.h"
#include "pgo/own_command.h"

/* Variables that compiler_wrappers_install sets: builds alone have them. */
static const char *const variables[] = {"PATH", "CC", "CXX", "CCACHE_DISABLE", "DISTCC_HOSTS"};
#define VARIABLES (sizeof(variables) / sizeof(variables[0]))

/* ---- what is compiled again ----------------------------------------------------------------- */

/* Make and ninja compile what is not there. libtool's x.lo stands for x.o and .libs/x.o. */
static void remove_object(const char *object)
{
	char *other;

	unlink(object);
	if (!file_name_ends(object, ".o"))
		return;
	other = memory_format("%.*slo", (int)strlen(object) - 1, object);
	if (other)
		unlink(other);
	memory_free(other);
}

static void remove_objects(const struct project *p)
{
	char *const *path;

	vector_each (&p->objects, path)
		remove_object(*path);
	/* a source that is compiled and linked at once has no object */
	vector_each (&p->programs, path)
		unlink(*path);
}

/* ---- what the wrappers told ----------------------------------------------------------------- */

struct build_journal {
	struct strings *objects, *programs, *plain, *unkeyed;
	struct strings *gcc, *clang; /* what was compiled by it */
};

static int take_note(struct build_journal *j, const char *kind, const char *what)
{
	struct strings *to = !strcmp(kind, "object")	? j->objects
			     : !strcmp(kind, "program") ? j->programs
			     : !strcmp(kind, "plain")	? j->plain
			     : !strcmp(kind, "unkeyed") ? j->unkeyed
			     : !strcmp(kind, "gcc")	? j->gcc
			     : !strcmp(kind, "clang")	? j->clang
							: NULL;

	return to && strings_add_text(to, what) == STRINGS_NONE ? -1 : 0;
}

static int read_journal(struct build_journal *j, const char *path, struct softlbr_error *e)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int rc = 0;

	*j = (struct build_journal){.objects = strings_new(),
				    .programs = strings_new(),
				    .plain = strings_new(),
				    .unkeyed = strings_new(),
				    .gcc = strings_new(),
				    .clang = strings_new()};
	if (!j->objects || !j->programs || !j->plain || !j->unkeyed || !j->gcc || !j->clang)
		rc = -1;
	while (in && !rc && (length = getline(&line, &room, in)) > 1) {
		char *what = strchr(line, ' ');

		line[length - 1] = 0;
		if (!what)
			continue;
		*what = 0;
		rc = take_note(j, line, what + 1);
	}
	free(line);
	if (in)
		fclose(in);
	return rc ? error_set_nomem(e) : 0;
}

size_t project_built(const struct project *p)
{
	static const char word[] = "object ";
	char *path = p->building ? project_path(p, NULL, BUILD_PLAN_JOURNAL) : NULL, *line = NULL;
	FILE *in = path ? fopen(path, "re") : NULL;
	size_t room = 0, count = 0;

	while (in && getline(&line, &room, in) > 0)
		count += !strncmp(line, word, sizeof(word) - 1);
	free(line);
	if (in)
		fclose(in);
	memory_free(path);
	return count;
}

static void journal_deinit(struct build_journal *j)
{
	strings_free(j->objects);
	strings_free(j->programs);
	strings_free(j->plain);
	strings_free(j->unkeyed);
	strings_free(j->gcc);
	strings_free(j->clang);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Those that are still there, by name: what only configures a build goes again. */
static int keep_present(const struct strings *all, project_texts *to, struct softlbr_error *e)
{
	int rc = 0;

	project_texts_deinit(to);
	for (uint32_t i = 1; !rc && i < strings_count(all); i++)
		if (!access(strings_text(all, i), F_OK))
			rc = project_texts_add(to, strings_text(all, i), e);
	vector_sort(to, compare_texts);
	return rc;
}

static bool has_present(const struct strings *all)
{
	for (uint32_t i = 1; i < strings_count(all); i++)
		if (!access(strings_text(all, i), F_OK))
			return true;
	return false;
}

/* ---- what can't be trained ------------------------------------------------------------------ */

/* For another processor? Its recordings can't be made here. */
static bool is_foreign(const char *path)
{
	Elf64_Ehdr head = {0}, self = {0};
	int file = open(path, O_RDONLY | O_CLOEXEC),
	    own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool known = file >= 0 && own >= 0 && read(file, &head, sizeof(head)) == sizeof(head) &&
		     read(own, &self, sizeof(self)) == sizeof(self) &&
		     !memcmp(head.e_ident, ELFMAG, SELFMAG);

	if (file >= 0)
		close(file);
	if (own >= 0)
		close(own);
	return known && head.e_machine != self.e_machine &&
	       !(self.e_machine == EM_X86_64 && head.e_machine == EM_386);
}

static int check_outputs(const struct project *p, const struct build_journal *j,
			 struct softlbr_error *e)
{
	const char *command = project_text(&p->builds);
	char *const *program;
	size_t plain = strings_count(j->plain) - 1;

	if (!p->objects.count && !p->programs.count)
		return error_set(
			e, SOFTLBR_E_USAGE, command,
			"`%s` compiled nothing by a gcc or clang that was found in PATH, CC or "
			"CXX. Is it all built already? Then clean it first, or give --clean a "
			"command that does. Does the build have another compiler, or its path? "
			"Then configure it in --build, too, in a new directory",
			command);
	if (!p->programs.count)
		return error_set(e, SOFTLBR_E_USAGE, command,
				 "`%s` linked no program or shared library: give the command that "
				 "builds them, too",
				 command);
	vector_each (&p->programs, program)
		if (is_foreign(*program))
			return error_set(e, SOFTLBR_E_USAGE, *program,
					 "%s is for another processor: a cross build can't be "
					 "recorded here; record it there (softlbr-record(1)) and "
					 "build with softlbr gcc-keys",
					 *program);
	if (plain && plain * 2 > p->objects.count)
		return error_set(e, SOFTLBR_E_USAGE, command,
				 "%zu of what is compiled, as %s, is without optimization: a "
				 "profile does not help there; give the build -O2 (CMake: "
				 "-DCMAKE_BUILD_TYPE=Release, Meson: --buildtype=release)",
				 plain, strings_text(j->plain, 1));
	return 0;
}

/* ---- a build -------------------------------------------------------------------------------- */

static int run_logged(struct project *p, const char *command, const char *log,
		      struct softlbr_error *e)
{
	struct own_command c = {.e = e};
	char why[256];

	own_command_word(&c, "/bin/sh");
	own_command_word(&c, "-c");
	own_command_word(&c, command);
	if (!own_command_run(&c, p, log) && c.status)
		c.rc = error_set(e, SOFTLBR_E_SYSTEM, command,
				 "`%s` ended with status %d: %s (%s/%s); when that is mended, the "
				 "same call goes on",
				 command, c.status, project_why(p, log, why), p->state, log);
	own_command_deinit(&c);
	return c.rc;
}

static int with_wrappers(struct project *p, const char *command, const char *log,
			 struct softlbr_error *e)
{
	char *directory = project_path(p, e, "compilers"), *saved[VARIABLES] = {0};
	char *state = memory_format("--compile=%s", p->state);
	const char *words[] = {p->softlbr, "pgo", state, "--", NULL};
	struct compiler_wrappers w = {.words = words, .directory = directory, .clang = true};
	int rc = directory && state ? 0 : error_set_nomem(e);

	for (size_t i = 0; !rc && i < VARIABLES; i++)
		if (getenv(variables[i]) && !(saved[i] = memory_copy_string(getenv(variables[i]))))
			rc = error_set_nomem(e);
	if (!rc)
		rc = compiler_wrappers_install(&w, e) ?: run_logged(p, command, log, e);
	for (size_t i = 0; i < VARIABLES; i++) {
		if (saved[i])
			setenv(variables[i], saved[i], 1);
		else
			unsetenv(variables[i]);
		memory_free(saved[i]);
	}
	memory_free(directory);
	memory_free(state);
	return rc;
}

/* What the build made is the project's from now on. The programs are those of the first whole
 * build: copies of theirs are kept by number. */
static int take_outputs(struct project *p, const struct build_journal *j, struct softlbr_error *e)
{
	p->gcc = has_present(j->gcc);
	p->clang = has_present(j->clang);
	return keep_present(j->objects, &p->objects, e)
		       ?: (p->done[PROJECT_BUILD] ? 0 : keep_present(j->programs, &p->programs, e));
}

/* The second build may do without what only the first one ran, such as a program that makes a
 * source. */
static int check_trained(const struct project *p, struct softlbr_error *e)
{
	const char *command = project_text(&p->builds), *trained = project_text(&p->hottest);

	if (!p->done[PROJECT_BUILD] || !trained || !access(trained, F_OK))
		return 0;
	return error_set(e, SOFTLBR_E_INPUT, trained,
			 "`%s` does not link %s again, though its objects and itself are removed: "
			 "give --build a command that does, such as one that begins with `make "
			 "clean`",
			 command, trained);
}

/* Run the build's command by @plan. */
static int build(struct project *p, const struct build_plan *plan, const char *log,
		 struct softlbr_error *e)
{
	char *path = project_path(p, e, BUILD_PLAN_JOURNAL);
	struct build_journal j;
	int rc;

	if (!path)
		return -SOFTLBR_E_SYSTEM;
	remove_objects(p);
	unlink(path);
	p->building = true;
	rc = build_plan_write(plan, p->state, e)
		     ?: with_wrappers(p, project_text(&p->builds), log, e);
	p->building = false;
	if (read_journal(&j, path, e))
		rc = -SOFTLBR_E_SYSTEM;
	else if (!rc)
		rc = take_outputs(p, &j, e) ?: check_outputs(p, &j, e) ?: check_trained(p, e);
	else if (strings_count(j.objects) > 1) /* these are compiled again, too */
		take_outputs(p, &j, e);
	if (!rc && strings_count(j.unkeyed) > 1)
		project_say(
			p,
			"build      %u objects, as %s, have no keys: they are compiled without a "
			"profile",
			strings_count(j.unkeyed) - 1, strings_text(j.unkeyed, 1));
	journal_deinit(&j);
	memory_free(path);
	return rc;
}

/* llvm-bolt does not take gcc's split functions, and moves functions by relocations. */
#define BOLT_GCC  "-fno-reorder-blocks-and-partition"
#define BOLT_LINK "-Wl,-q"

static const char *of_bolt(const struct project *p, const char *flag)
{
	return p->bolts.count ? flag : NULL;
}

/* What was built before us, once: afterwards objects are known. */
static int clean(struct project *p, struct softlbr_error *e)
{
	const char *command = project_text(&p->cleans);
	int rc;

	if (!command || p->cleaned)
		return 0;
	rc = run_logged(p, command, "clean.log", e);
	p->cleaned = !rc;
	return rc ?: project_save(p, e);
}

#define FLAG(flag) flag,

int project_build_plain(struct project *p, struct softlbr_error *e)
{
	const char *gcc[] = {"-g", "-no-integrated-cpp", of_bolt(p, BOLT_GCC), NULL};
	const char *clang[] = {PROJECT_FLAGS_CLANG_DEBUG(FLAG) NULL};
	const char *link[] = {of_bolt(p, BOLT_LINK), NULL};
	struct build_plan plan = {p->directory, gcc, clang, link};
	char *keys = project_path(p, e, BUILD_PLAN_KEYS);
	struct key_build k = {.directory = keys, .root = p->directory};
	char *root = NULL;
	int rc = keys ? 0 : -SOFTLBR_E_SYSTEM;

	project_remove(p, BUILD_PLAN_KEYS);
	if (!rc)
		rc = clean(p, e);
	if (!rc)
		rc = key_build_make_directory(&k, e)
		     ?: build(p, &plan, "build.log", e)
		     ?: key_root_narrow(&k, &root, e);
	project_texts_deinit(&p->roots);
	if (!rc)
		rc = project_texts_add(&p->roots, k.root, e);
	memory_free(root);
	memory_free(keys);
	return rc;
}

/* Objects that have no counters, or whose counters don't fit, are compiled as without a profile:
 * gcc says so of each, and a build with -Werror would end. */
int project_build_profiled(struct project *p, struct softlbr_error *e)
{
	char *counters = memory_format("-fprofile-use=%s/" PROJECT_COUNTERS, p->state);
	char *prefix = memory_format("-fprofile-prefix-path=%s", project_root(p));
	char *samples = memory_format("-fprofile-sample-use=%s/" PROJECT_SAMPLES, p->state);
	const char *gcc[] = {"-g",
			     "-no-integrated-cpp",
			     counters,
			     prefix,
			     PROJECT_FLAGS_GCC(FLAG) "-Wno-missing-profile",
			     of_bolt(p, BOLT_GCC),
			     NULL};
	const char *clang[] = {PROJECT_FLAGS_CLANG_DEBUG(FLAG) samples,
			       PROJECT_FLAGS_CLANG(FLAG) NULL};
	const char *link[] = {of_bolt(p, BOLT_LINK), NULL};
	struct build_plan plan = {NULL, gcc, clang, link};
	int rc = counters && prefix && samples ? build(p, &plan, "rebuild.log", e)
					       : error_set_nomem(e);

	memory_free(counters);
	memory_free(prefix);
	memory_free(samples);
	return rc;
}
