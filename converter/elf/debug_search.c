/* SPDX-License-Identifier: MIT */
#include "converter/elf/debug_search.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compress.h"
#include "base/cursor.h"
#include "base/memory.h"

#define GLOBAL_DIRECTORY "/usr/lib/debug"

int debug_notes_add(struct debug_notes *n, const char *format, ...)
{
	char text[1024], *copy;
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	copy = memory_copy_string(text);
	if (copy && !vector_add(&n->list, copy))
		return 0;
	memory_free(copy);
	return -1;
}

void debug_notes_deinit(struct debug_notes *n)
{
	char **text;

	vector_each (&n->list, text)
		memory_free(*text);
	vector_deinit(&n->list);
}

char *debug_search_directory(const char *path)
{
	char *real = realpath(path, NULL);
	char *copy = memory_copy_string(real ? real : path);
	char *slash = copy ? strrchr(copy, '/') : NULL;

	free(real);
	if (!copy)
		return NULL;
	if (!slash)
		strcpy(copy, *copy ? "." : "");
	else
		slash[slash == copy] = '\0';
	return copy;
}

static bool try_below(const struct debug_search *s, const char *path, debug_accept *accept,
		      void *context)
{
	char *below = s && s->symfs && *path == '/' ? memory_format("%s%s", s->symfs, path) : NULL;
	bool taken = (below && accept(context, below)) || accept(context, path);

	memory_free(below);
	return taken;
}

bool debug_search_path(const struct debug_search *s, const char *path, debug_accept *accept,
		       void *context)
{
	const struct debug_prefix *p;

	for (size_t i = 0; s && i < s->prefixes.count; i++) {
		size_t length;
		bool taken;
		char *other;

		p = &s->prefixes.items[i];
		length = strlen(p->from);
		if (strncmp(path, p->from, length))
			continue;
		other = memory_format("%s%s", p->to, path + length);
		taken = other && try_below(s, other, accept, context);
		memory_free(other);
		if (taken)
			return true;
	}
	return try_below(s, path, accept, context);
}

struct wanted {
	const struct elf_file *of;
	const struct build_id *id; /* NULL or of size 0: not known */
	const char *why;
	uint32_t crc;
	bool has_crc, dwarf;
	struct debug_notes *notes;
	struct elf_file *found;
};

static bool same_id(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

static bool fits(const struct wanted *w, struct elf_file *f)
{
	const struct build_id *its = elf_file_build_id(f);
	const struct file_view *bytes = elf_file_view(f);

	if (elf_file_machine(f) != elf_file_machine(w->of))
		return false;
	if (w->id && w->id->size && its->size)
		return same_id(w->id, its);
	return w->has_crc && compress_crc32(bytes->data, bytes->size) == w->crc;
}

static bool accept_file(void *context, const char *path)
{
	struct wanted *w = context;
	struct elf_file *f;

	if (access(path, R_OK))
		return false;
	f = elf_file_open_found(path, NULL);
	if (!f)
		return false;
	if (!fits(w, f)) {
		if (strcmp(path, elf_file_path(w->of)))
			debug_notes_add(w->notes,
					"%s is of another build than %s, and not used as %s", path,
					elf_file_path(w->of), w->why);
		elf_file_close(f);
		return false;
	}
	if (w->dwarf && !elf_file_has_dwarf(f) && !elf_file_has_symbols(f)) {
		elf_file_close(f);
		return false;
	}
	debug_notes_add(w->notes, "%s of %s: %s", w->why, elf_file_path(w->of), path);
	w->found = f;
	return true;
}

static bool accept_owned(const struct debug_search *s, char *path, struct wanted *w)
{
	bool taken = path && debug_search_path(s, path, accept_file, w);

	memory_free(path);
	return taken;
}

static bool by_build_id(const struct debug_search *s, struct wanted *w)
{
	char text[2 * sizeof(w->id->bytes) + 1];

	if (!w->id || w->id->size < 2)
		return false;
	branch_profile_build_id_text(w->id, text);
	return accept_owned(
		s, memory_format(GLOBAL_DIRECTORY "/.build-id/%.2s/%s.debug", text, text + 2), w);
}

static bool has_servers(const struct build_id *id)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls && id && id->size;
}

/*
 * Have @function of the client library get a file from the servers of $DEBUGINFOD_URLS, and
 * @accept it. The library is loaded only when asked for, as it draws a whole HTTP library in, and
 * stays: what it started may still run. -1 if it is not installed.
 */
static int ask_servers(const char *function, const struct build_id *id, debug_accept *accept,
		       void *context)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	void *(*begin)(void);
	void (*end)(void *);
	int (*find)(void *, const unsigned char *, int, char **);
	char *path = NULL;
	void *client;
	int descriptor = -1;
	bool taken = false;

	if (!library)
		return -1;
	begin = (void *(*)(void))dlsym(library, "debuginfod_begin");
	end = (void (*)(void *))dlsym(library, "debuginfod_end");
	find = (int (*)(void *, const unsigned char *, int, char **))dlsym(library, function);
	client = begin && end && find ? begin() : NULL;
	if (client) {
		descriptor = find(client, id->bytes, id->size, &path);
		end(client);
	}
	if (descriptor >= 0) {
		taken = path && accept(context, path);
		close(descriptor);
	}
	free(path);
	return taken;
}

static bool by_debuginfod(struct wanted *w)
{
	int taken = 0;

	if (has_servers(w->id))
		taken = ask_servers("debuginfod_find_debuginfo", w->id, accept_file, w);
	if (taken < 0)
		debug_notes_add(w->notes, "DEBUGINFOD_URLS is set, but libdebuginfod is not "
					  "installed");
	return taken > 0;
}

/* What the client has got before; it does not look itself when it knows no servers. */
static bool by_debuginfod_cache(const struct build_id *id, debug_accept *accept, void *context)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *user = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char text[2 * sizeof(id->bytes) + 1];
	char *path;
	bool taken;

	branch_profile_build_id_text(id, text);
	if (own && *own)
		path = memory_format("%s/%s/executable", own, text);
	else if (user && *user)
		path = memory_format("%s/debuginfod_client/%s/executable", user, text);
	else
		path = memory_format("%s/.cache/debuginfod_client/%s/executable", home ? home : "",
				     text);
	taken = path && accept(context, path);
	memory_free(path);
	return taken;
}

bool debug_search_program(const struct build_id *id, debug_accept *accept, void *context)
{
	return by_debuginfod_cache(id, accept, context) ||
	       (has_servers(id) &&
		ask_servers("debuginfod_find_executable", id, accept, context) > 0);
}

/* The name and CRC of .gnu_debuglink. */
static const char *read_link(struct wanted *w)
{
	struct bytes bytes;
	struct cursor c;
	const char *name;

	if (!elf_file_section(w->of, ".gnu_debuglink", &bytes))
		return NULL;
	cursor_init(&c, bytes.data, bytes.size, elf_file_is_big_endian(w->of));
	name = cursor_string(&c);
	cursor_skip(&c, (4 - c.at % 4) % 4);
	w->crc = cursor_u32(&c);
	w->has_crc = !c.failed;
	return w->has_crc && *name ? name : NULL;
}

static bool by_link(const struct debug_search *s, struct wanted *w, const char *name)
{
	char *directory = debug_search_directory(elf_file_path(w->of));
	bool taken;

	if (!directory)
		return false;
	taken = accept_owned(s, memory_format("%s/%s", directory, name), w) ||
		accept_owned(s, memory_format("%s/.debug/%s", directory, name), w) ||
		accept_owned(s, memory_format(GLOBAL_DIRECTORY "%s/%s", directory, name), w);
	memory_free(directory);
	return taken;
}

struct elf_file *debug_search_separate(const struct debug_search *s, const struct elf_file *of,
				       const struct build_id *id, struct debug_notes *notes)
{
	struct wanted w = {.of = of, .id = id, .why = "debug file", .dwarf = true, .notes = notes};
	const char *link = read_link(&w);

	if (by_build_id(s, &w) || (link && by_link(s, &w, link)) || by_debuginfod(&w))
		return w.found;
	return NULL;
}

static bool by_alternate_path(const struct debug_search *s, struct wanted *w, const char *path)
{
	char *directory;
	bool taken;

	if (*path == '/')
		return debug_search_path(s, path, accept_file, w);
	directory = debug_search_directory(elf_file_path(w->of));
	taken = directory && accept_owned(s, memory_format("%s/%s", directory, path), w);
	memory_free(directory);
	return taken;
}

/* .gnu_debugaltlink: a path and the build-id behind it; or DWARF 5's .debug_sup (dwz -5). */
static const char *read_alternate_link(const struct elf_file *of, struct build_id *id)
{
	struct bytes bytes;
	const char *path;
	struct cursor c;

	if (!elf_file_section(of, ".gnu_debugaltlink", &bytes))
		return elf_file_supplement(of, id);
	cursor_init(&c, bytes.data, bytes.size, false);
	path = cursor_string(&c);
	if (!path || !cursor_left(&c) || cursor_left(&c) > sizeof(id->bytes))
		return NULL;
	id->size = (uint8_t)cursor_left(&c);
	memcpy(id->bytes, cursor_bytes(&c, id->size), id->size);
	return path;
}

struct elf_file *debug_search_alternate(const struct debug_search *s, const struct elf_file *of,
					struct debug_notes *notes)
{
	struct wanted w = {.of = of, .why = "file shared by dwz", .notes = notes};
	struct build_id id = {0};
	const char *path = read_alternate_link(of, &id);

	if (!path || !id.size)
		return NULL;
	w.id = &id;
	if (by_alternate_path(s, &w, path) || by_build_id(s, &w) || by_debuginfod(&w))
		return w.found;
	debug_notes_add(notes,
			"%s needs %s, which dwz shared and which is not found: some names and "
			"lines stay unknown",
			elf_file_path(of), path);
	return NULL;
}
