/* SPDX-License-Identifier: MIT */
/*
 * Where the file of a recording's module is here and now: at the path that was recorded, below
 * symfs, beside the recording, or in a directory of files by build-id, perf's own cache among them
 * (perf-buildid-cache(1)). A file of another build is not taken.
 */
#include "converter/elf/debug_search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#define PATH_BYTES 4096

struct wanted_module {
	const struct module_search *search;
	const struct build_id *id;
	bool by_id; /* nothing else tells that a file is the module */
	struct module_file *out;
};

/* The parts of the dynamic section that tell a program from a library. */
static void read_dynamic(Elf *elf, bool *is_pie, bool *has_name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Dyn entry;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getdyn(data, i, &entry); i++) {
			*is_pie |= entry.d_tag == DT_FLAGS_1 && entry.d_un.d_val & DF_1_PIE;
			*has_name |= entry.d_tag == DT_SONAME;
		}
	}
}

static bool has_interpreter(Elf *elf)
{
	GElf_Phdr header;
	size_t count = 0;

	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP)
			return true;
	return false;
}

/* PIEs of binutils before 2.26 do not say so; libc.so.6 has an interpreter too, but a name. */
static bool is_program(const struct elf_file *f)
{
	Elf *elf = elf_file_elf(f);
	bool is_pie = false, has_name = false;
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_type != ET_DYN)
		return header.e_type == ET_EXEC;
	read_dynamic(elf, &is_pie, &has_name);
	return is_pie || (has_interpreter(elf) && !has_name);
}

bool module_search_names_file(const char *path)
{
	static const char *const others[] = {"//", "/dev/", "/memfd:", "/SYSV", "/anon_hugepage"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(path, others[i], strlen(others[i])))
			return false;
	return *path == '/';
}

static void explain(const struct wanted_module *w, const char *path, const char *why)
{
	if (!w->by_id && !*w->out->why)
		snprintf(w->out->why, sizeof(w->out->why), "%s: %s", path, why);
}

/* Say so if the recorded path has another build. */
static void module_refuse(const struct wanted_module *w, const char *path,
			  const struct build_id *its)
{
	char theirs[41], ours[41];

	if (w->by_id || w->out->other)
		return;
	branch_profile_build_id_text(w->id, theirs);
	branch_profile_build_id_text(its, ours);
	snprintf(w->out->why, sizeof(w->out->why),
		 "%.250s is another build (build-id %s, recorded was %s)", path, ours, theirs);
	w->out->other = memory_copy_string(path);
}

static bool module_take(void *context, const char *path)
{
	const struct wanted_module *w = context;
	const struct build_id *its;
	struct elf_file *f;
	struct stat status;
	bool same;

	if (stat(path, &status) || access(path, R_OK)) {
		if (errno != ENOENT && errno != ENOTDIR)
			explain(w, path, strerror(errno));
		return false;
	}
	/* to open a pipe would wait for its writer */
	f = S_ISREG(status.st_mode) ? elf_file_open(path, NULL) : NULL;
	if (!f) {
		explain(w, path, "not an ELF file");
		return false;
	}
	its = elf_file_build_id(f);
	same = w->id->size && (its->size || w->by_id) ? branch_profile_same_build(its, w->id)
						      : !w->by_id;
	if (same) {
		w->out->path = memory_copy_string(path);
		w->out->program = is_program(f);
	} else {
		module_refuse(w, path, its);
	}
	elf_file_close(f);
	return w->out->path;
}

/* The file in @directory that is named as the module's. */
static bool take_in(struct wanted_module *w, const char *directory, const char *path)
{
	char file[PATH_BYTES];

	snprintf(file, sizeof(file), "%s/%s", directory, file_base_name(path));
	return module_take(w, file);
}

static bool take_beside(struct wanted_module *w, const char *path)
{
	const struct debug_search *places = w->search->places;
	char *directory;
	bool taken;

	if (places && places->symfs && take_in(w, places->symfs, path))
		return true;
	if (!w->search->recording || !strcmp(w->search->recording, "-"))
		return false;
	directory = debug_search_directory(w->search->recording);
	taken = directory && take_in(w, directory, path);
	memory_free(directory);
	return taken;
}

/* Without build-ids a name beside the recording is worth telling, but proves nothing. */
static void tell_beside(const struct wanted_module *w, const char *path)
{
	const char *recording = w->search->recording;
	char *directory = recording ? debug_search_directory(recording) : NULL;
	char file[PATH_BYTES];

	snprintf(file, sizeof(file), "%s/%s", directory ? directory : "", file_base_name(path));
	if (directory && strcmp(recording, "-") != 0 && !access(file, R_OK))
		snprintf(w->out->why, sizeof(w->out->why),
			 "no such file (no build-id was recorded to tell whether it is now %.300s)",
			 file);
	memory_free(directory);
}

/* ROOT/.build-id/ab/cdef..., the file or, as perf has it, its directory. */
static bool take_by_id(struct wanted_module *w, const char *root)
{
	char id[41], file[PATH_BYTES];

	branch_profile_build_id_text(w->id, id);
	snprintf(file, sizeof(file), "%s/.build-id/%.2s/%s/elf", root, id, id + 2);
	if (debug_search_path(w->search->places, file, module_take, w))
		return true;
	snprintf(file, sizeof(file), "%s/.build-id/%.2s/%s", root, id, id + 2);
	return debug_search_path(w->search->places, file, module_take, w);
}

/* Where those who record for a later build keep what they recorded (docs/build-systems.md). */
static bool take_kept(struct wanted_module *w)
{
	const char *recording = w->search->recording;
	char *directory;
	bool taken;

	if (!recording || !strcmp(recording, "-"))
		return false;
	directory = debug_search_directory(recording);
	taken = directory && take_by_id(w, directory);
	memory_free(directory);
	return taken;
}

static bool take_cached(struct wanted_module *w)
{
	const char *cache = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	char path[PATH_BYTES];

	if (take_by_id(w, "/usr/lib/debug") || take_by_id(w, "/usr/lib"))
		return true;
	if (cache && *cache)
		return take_by_id(w, cache);
	snprintf(path, sizeof(path), "%s/.debug", home ? home : "");
	return home && take_by_id(w, path);
}

/* Without what the kernel says of files that were replaced since; to be freed. */
static char *recorded_path(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path), of_mark = sizeof(mark) - 1;
	char *copy = memory_copy_string(path);

	if (copy && length > of_mark && !strcmp(path + length - of_mark, mark))
		copy[length - of_mark] = '\0';
	return copy;
}

void module_search_find(const struct module_search *s, const char *path, const struct build_id *id,
			struct module_file *out)
{
	struct wanted_module w = {.search = s, .id = id, .out = out};
	char *wanted = recorded_path(path);
	bool taken;

	*out = (struct module_file){.program = module_search_names_file(path) &&
					       !strstr(file_base_name(path), ".so")};
	taken = wanted && *wanted == '/' && debug_search_path(s->places, wanted, module_take, &w);
	w.by_id = true;
	if (!taken && wanted && *wanted == '/' && id->size)
		taken = take_beside(&w, wanted);
	if (!taken && id->size > 1)
		taken = take_kept(&w) || take_cached(&w) ||
			debug_search_program(id, module_take, &w);
	if (!taken && wanted && *wanted == '/' && !id->size && !*out->why)
		tell_beside(&w, wanted);
	memory_free(wanted);
	if (taken)
		*out->why = '\0';
	else if (!*out->why)
		snprintf(out->why, sizeof(out->why), "%s",
			 *path == '/' ? "no such file" : "no file");
}

void module_file_deinit(struct module_file *f)
{
	memory_free(f->path);
	memory_free(f->other);
	*f = (struct module_file){0};
}
