/* SPDX-License-Identifier: MIT */
#include "collector/recorder/needed_libraries.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "collector/recorder/executable_bytes.h"
#include "isa/host.h"

/* A search that comes to more looks no further: the collector asks again when the program has
 * loaded them. */
#define LIBRARIES_MOST 64u
#define NAME_BYTES     128u

struct search {
	char seen[LIBRARIES_MOST][NAME_BYTES];
	unsigned seen_count, looked_at;
	char *found[LIBRARIES_MOST]; /* their paths */
	unsigned found_count;
};

static void search_deinit(struct search *s)
{
	for (unsigned i = 0; i < s->found_count; i++)
		memory_free(s->found[i]);
}

static void add_found(struct search *s, const char *path)
{
	char *copy = memory_copy_string(path);

	if (copy)
		s->found[s->found_count++] = copy;
}

/* Part of each C and C++ program, and none is written in Go. */
static bool is_common(const char *name)
{
	static const char *const common[] = {"libc.so.6",	"libm.so.6",  "libdl.so.2",
					     "libpthread.so.0", "librt.so.1", "libgcc_s.so.1",
					     "libstdc++.so.6",	"libz.so.1",  "libresolv.so.2",
					     ISA_HOST_LINKER};

	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (!strcmp(name, common[i]))
			return true;
	return false;
}

/* True the first time. */
static bool is_new(struct search *s, const char *name)
{
	for (unsigned i = 0; i < s->seen_count; i++)
		if (!strcmp(s->seen[i], name))
			return false;
	if (s->seen_count == LIBRARIES_MOST)
		return false;
	snprintf(s->seen[s->seen_count++], NAME_BYTES, "%s", name);
	return true;
}

/* @name in the directory @directory, which may begin with $ORIGIN: that of @of. */
static bool try_directory(struct search *s, const char *directory, size_t length, const char *of,
			  const char *name)
{
	static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};
	const char *slash = strrchr(of, '/');
	char path[PATH_MAX];
	int n = -1;

	for (size_t i = 0; i < 2; i++) {
		size_t origin = strlen(origins[i]);

		if (length >= origin && !memcmp(directory, origins[i], origin))
			n = snprintf(path, PATH_MAX, "%.*s%.*s/%s", slash ? (int)(slash - of) : 1,
				     slash ? of : ".", (int)(length - origin), directory + origin,
				     name);
	}
	if (n < 0)
		n = snprintf(path, PATH_MAX, "%.*s/%s", (int)length, directory, name);
	if (n >= PATH_MAX || access(path, R_OK))
		return false;
	add_found(s, path);
	return true;
}

static bool try_list(struct search *s, const char *list, const char *of, const char *name)
{
	for (size_t length; list && *list; list += length + (list[length] != 0)) {
		length = strcspn(list, ":;");
		if (try_directory(s, list, length, of, name))
			return true;
	}
	return false;
}

static void run_path(const struct dynamic_section *d, char *out, size_t bytes)
{
	Elf64_Dyn e;

	out[0] = 0;
	for (uint64_t i = 0; dynamic_section_entry(d, i, &e); i++)
		if (e.d_tag == DT_RUNPATH || (e.d_tag == DT_RPATH && !out[0]))
			dynamic_section_string(d, e.d_un.d_val, out, bytes);
}

static void find_one(struct search *s, const char *run, const char *of, const char *name)
{
	static const char standard[] = "/lib/" ISA_HOST_TRIPLET ":/usr/lib/" ISA_HOST_TRIPLET
				       ":/lib64:/usr/lib64:/usr/local/lib/" ISA_HOST_TRIPLET
				       ":/usr/local/lib:/usr/local/lib64:/lib:/usr/lib";

	if (s->found_count == LIBRARIES_MOST || is_common(name) || !is_new(s, name))
		return;
	if (strchr(name, '/')) {
		if (!access(name, R_OK))
			add_found(s, name);
	} else if (!try_list(s, run, of, name) &&
		   !try_list(s, getenv("LD_LIBRARY_PATH"), of, name)) {
		try_list(s, standard, of, name);
	}
}

static void find_needed(struct search *s, const struct dynamic_section *d, const char *of)
{
	char name[NAME_BYTES], run[PATH_MAX];
	Elf64_Dyn e;

	run_path(d, run, sizeof(run));
	for (uint64_t i = 0; dynamic_section_entry(d, i, &e); i++) {
		if (e.d_tag != DT_NEEDED)
			continue;
		dynamic_section_string(d, e.d_un.d_val, name, sizeof(name));
		find_one(s, run, of, name);
	}
}

static bool is_go(struct search *s, const char *path)
{
	struct softlbr_error ignored = {0};
	struct program_file tells;
	struct dynamic_section d;
	struct file_view v;

	if (file_view_open(&v, path, &ignored))
		return false;
	executable_bytes_look(&v, &tells);
	if (!tells.is_go && tells.is_elf && !tells.is_32_bit && dynamic_section_find(&v, &d))
		find_needed(s, &d, path);
	file_view_close(&v);
	return tells.is_go;
}

bool needed_libraries_have_go(const struct dynamic_section *d, const char *path)
{
	struct search *s = memory_alloc(sizeof(*s));
	bool found = false;

	if (!s)
		return false;
	find_needed(s, d, path);
	while (!found && s->looked_at < s->found_count)
		found = is_go(s, s->found[s->looked_at++]);
	search_deinit(s);
	memory_free(s);
	return found;
}
