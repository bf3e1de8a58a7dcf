/* SPDX-License-Identifier: MIT */
/* What a program's whole ELF file, and the libraries that it names, tell of how it can be recorded,
 * before it is started. */
#include "collector/recorder/command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/served_file.h"
#include "collector/shared/program_file.h"
#include "isa/host.h"

/* ---- the dynamic section ------------------------------------------------------------------- */

/* The dynamic section of a program's or library's ELF file: what its dynamic linker reads. */
struct dynamic_section {
	const struct file_view *view;
	uint64_t begin, bytes;		 /* in the file */
	uint64_t strings, strings_bytes; /* likewise: the names in it, and of symbols */
};

static bool get(const struct file_view *v, uint64_t at, void *out, size_t bytes)
{
	if (at > v->size || v->size - at < bytes)
		return false;
	memcpy(out, v->data + at, bytes);
	return true;
}

/* The program header @i; false if there are no more. */
static bool dynamic_section_segment(const struct file_view *v, unsigned i, Elf64_Phdr *out)
{
	Elf64_Ehdr elf;

	return get(v, 0, &elf, sizeof(elf)) && i < elf.e_phnum && elf.e_phoff <= v->size &&
	       get(v, elf.e_phoff + (uint64_t)i * sizeof(*out), out, sizeof(*out));
}

/* The entry number @i; false behind the last one. */
static bool dynamic_section_entry(const struct dynamic_section *d, uint64_t i, Elf64_Dyn *out)
{
	return (i + 1) * sizeof(*out) <= d->bytes &&
	       get(d->view, d->begin + i * sizeof(*out), out, sizeof(*out)) &&
	       out->d_tag != DT_NULL;
}

/* Where the address @va is in the file; 0 if nowhere. */
static uint64_t file_offset(const struct file_view *v, uint64_t va)
{
	Elf64_Phdr p;

	for (unsigned i = 0; dynamic_section_segment(v, i, &p); i++)
		if (p.p_type == PT_LOAD && va - p.p_vaddr < p.p_filesz)
			return p.p_offset + (va - p.p_vaddr);
	return 0;
}

/* False if there is none, or nothing can be read from it. */
static bool dynamic_section_find(const struct file_view *v, struct dynamic_section *d)
{
	Elf64_Phdr p;
	Elf64_Dyn e;

	*d = (struct dynamic_section){.view = v};
	for (unsigned i = 0; dynamic_section_segment(v, i, &p); i++)
		if (p.p_type == PT_DYNAMIC) {
			d->begin = p.p_offset;
			d->bytes = p.p_filesz;
		}
	for (uint64_t i = 0; dynamic_section_entry(d, i, &e); i++) {
		if (e.d_tag == DT_STRTAB)
			d->strings = file_offset(v, e.d_un.d_ptr);
		else if (e.d_tag == DT_STRSZ)
			d->strings_bytes = e.d_un.d_val;
	}
	return d->strings && d->strings <= v->size && d->strings_bytes <= v->size - d->strings;
}

/* The string that an entry names, cut to @bytes; "" if it is none. */
static void dynamic_section_string(const struct dynamic_section *d, uint64_t offset, char *out,
				   size_t bytes)
{
	out[0] = 0;
	if (offset < d->strings_bytes)
		snprintf(out, bytes, "%.*s", (int)(d->strings_bytes - offset),
			 (const char *)d->view->data + d->strings + offset);
}

/* Is there a symbol of that name (60 bytes at most), defined or not? */
static bool dynamic_section_has_symbol(const struct dynamic_section *d, const char *name)
{
	char whole[64] = ""; /* a string begins behind the end of another one */

	snprintf(whole + 1, sizeof(whole) - 1, "%s", name);
	return memmem(d->view->data + d->strings, d->strings_bytes, whole, strlen(name) + 2);
}

/* Is there one whose name begins so? */
static bool dynamic_section_has_prefix(const struct dynamic_section *d, const char *prefix)
{
	char begin[64] = "";

	snprintf(begin + 1, sizeof(begin) - 1, "%s", prefix);
	return memmem(d->view->data + d->strings, d->strings_bytes, begin, strlen(prefix) + 1);
}

static bool has_one(const struct dynamic_section *d, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (dynamic_section_has_symbol(d, names[i]))
			return true;
	return false;
}

static size_t read_view(void *context, uint64_t at, void *out, size_t bytes)
{
	const struct file_view *v = context;

	if (at >= v->size)
		return 0;
	if (bytes > v->size - at)
		bytes = v->size - (size_t)at;
	memcpy(out, v->data + at, bytes);
	return bytes;
}

unsigned executable_glibc(const char *path)
{
	struct softlbr_error ignored = {0};
	struct file_view v;
	struct program_file_source from = {read_view, &v};
	unsigned version;

	if (file_view_open(&v, path, &ignored))
		return 0;
	version = program_file_glibc(&from);
	file_view_close(&v);
	return version;
}

static void program_look(const struct file_view *v, struct program_file *out)
{
	struct program_file_source from = {read_view, (void *)v};

	program_file_look(&from, out);
}

/* ---- the libraries that it is linked with -------------------------------------------------- */

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
	program_look(&v, &tells);
	if (!tells.is_go && tells.is_elf && !tells.is_32_bit && dynamic_section_find(&v, &d))
		find_needed(s, &d, path);
	file_view_close(&v);
	return tells.is_go;
}

/* Is one of them written in Go (go build -buildmode=c-shared)? @path is the file that @d is of.
 * Looked for where ld.so(8) looks, but for its cache: a library that is not found is passed over.
 */
static bool needed_libraries_have_go(const struct dynamic_section *d, const char *path)
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

/* ---- sanitizers ---------------------------------------------------------------------------- */

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* Leaks are looked for unless the program's environment says otherwise; later words win. */
static void note_options(const char *entry, bool *finds)
{
	static const char option[] = "detect_leaks=";

	if (!begins(entry, "ASAN_OPTIONS=") && !begins(entry, "LSAN_OPTIONS="))
		return;
	for (const char *at = entry; (at = strstr(at, option));) {
		at += strlen(option);
		at += *at == '\'' || *at == '"';
		*finds = !begins(at, "0") && !begins(at, "false") && !begins(at, "no");
	}
}

static bool environment_finds_leaks(int pid)
{
	char path[32], *entry = NULL;
	bool finds = true;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	file = fopen(path, "re");
	while (file && getdelim(&entry, &room, 0, file) > 0)
		note_options(entry, &finds);
	free(entry);
	if (file)
		fclose(file);
	return finds;
}

/* The runtime is a library, or part of the program: what it lets others define tells of it. */
static bool has_leak_sanitizer(const struct dynamic_section *d)
{
	static const char *const libraries[] = {"libasan.so", "liblsan.so", "libhwasan.so",
						"libclang_rt.asan", "libclang_rt.hwasan"};
	static const char *const symbols[] = {"__asan_init", "__lsan_init", "__hwasan_init",
					      "__lsan_is_turned_off"};
	char name[64];
	Elf64_Dyn e;

	for (uint64_t i = 0; dynamic_section_entry(d, i, &e); i++) {
		if (e.d_tag != DT_NEEDED)
			continue;
		dynamic_section_string(d, e.d_un.d_val, name, sizeof(name));
		for (size_t k = 0; k < sizeof(libraries) / sizeof(libraries[0]); k++)
			if (begins(name, libraries[k]))
				return true;
	}
	return has_one(d, symbols, sizeof(symbols) / sizeof(symbols[0]));
}

bool executable_finds_leaks(const char *path, int pid)
{
	struct softlbr_error ignored = {0};
	struct dynamic_section d;
	struct file_view v;
	bool finds;

	if (file_view_open(&v, path, &ignored))
		return false;
	finds = v.size > EI_CLASS && v.data[EI_CLASS] == ELFCLASS64 &&
		dynamic_section_find(&v, &d) && has_leak_sanitizer(&d) &&
		environment_finds_leaks(pid);
	file_view_close(&v);
	return finds;
}

static void sanitizer_find(const struct dynamic_section *d, struct executable_sanitizer *out)
{
	bool library = false;
	Elf64_Dyn e;

	*out = (struct executable_sanitizer){0};
	for (uint64_t i = 0; dynamic_section_entry(d, i, &e); i++) {
		char name[sizeof(out->first)];

		if (e.d_tag != DT_NEEDED)
			continue;
		dynamic_section_string(d, e.d_un.d_val, name, sizeof(name));
		if (program_file_is_first_library(name))
			memcpy(out->first, name, sizeof(name));
		library |= begins(name, "libtsan.so");
	}
	out->from_outside = !library && dynamic_section_has_symbol(d, "__tsan_init");
}

/* ---- seccomp filters ----------------------------------------------------------------------- */

/* Between the loading of the number and the instruction, in either direction of an argument. */
#define NEAR_BYTES 64u

struct bytes {
	const uint8_t *data;
	size_t size;
};

static bool contains(struct bytes b, const char *what, size_t size)
{
	return memmem(b.data, b.size, what, size) != NULL;
}

static struct bytes part(const struct file_view *v, size_t begin, size_t bytes)
{
	return (struct bytes){(const uint8_t *)v->data + begin,
			      bytes < v->size - begin ? bytes : v->size - begin};
}

static bool sets_filter(const struct file_view *v, size_t at, bool is_prctl)
{
	size_t before = at < NEAR_BYTES ? at : NEAR_BYTES;

	return contains(part(v, at, NEAR_BYTES), ISA_HOST_SYSTEM_CALL,
			sizeof(ISA_HOST_SYSTEM_CALL) - 1) &&
	       (!is_prctl || contains(part(v, at - before, before + NEAR_BYTES),
				      ISA_HOST_LOADS_SET_SECCOMP, ISA_HOST_LOAD_BYTES));
}

/* By the number's second byte, which is rare in code: programs have 100 MB of it. */
static bool find_filter_call(const struct file_view *v, struct bytes code, const char *number,
			     bool is_prctl)
{
	const uint8_t *begin = code.data, *end = begin + code.size, *at = begin;

	while (at < end && (at = memchr(at, (uint8_t)number[1], (size_t)(end - at)))) {
		if (at > begin && end - at >= (ptrdiff_t)ISA_HOST_LOAD_BYTES - 1 &&
		    !memcmp(at - 1, number, ISA_HOST_LOAD_BYTES) &&
		    sets_filter(v, (size_t)(at - 1 - (const uint8_t *)v->data), is_prctl))
			return true;
		at++;
	}
	return false;
}

/*
 * Programs that install a seccomp filter by an instruction of their own. From inside nothing tells
 * when they do: the collector stands before libc's functions only, and its next system call may be
 * the program's end.
 *
 * Has the file, which is ELF's of 64 bits, code as compilers make it of such a call? What takes the
 * call's number from a variable is not found, nor what libraries do.
 */
static bool raw_filter_is_in(const struct file_view *v)
{
	Elf64_Phdr p;

	for (unsigned i = 0; dynamic_section_segment(v, i, &p); i++) {
		struct bytes code;

		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X) || p.p_offset > v->size)
			continue;
		code = part(v, p.p_offset, p.p_filesz);
		if (find_filter_call(v, code, ISA_HOST_LOADS_SECCOMP, false) ||
		    find_filter_call(v, code, ISA_HOST_LOADS_PRCTL, true))
			return true;
	}
	return false;
}

/* ---- handlers of signals ------------------------------------------------------------------- */

/* A program that sets handlers by an instruction of its own may take the collector's of SIGTRAP
 * away, whose next one then ends it. Sanitizers' runtimes do that, but leave SIGTRAP alone. */
#define RAW_BYTES 96u

/* Is the call's number loaded, and the size of its masks? Either byte pattern alone is met by
 * chance. */
static bool loads_sigaction(struct bytes before)
{
	static const char load[] = ISA_HOST_LOADS_SIGACTION, bytes[] = ISA_HOST_LOADS_MASK_BYTES;

	if (!contains(before, bytes, sizeof(bytes) - 1))
		return false;
	for (size_t i = 0; i + ISA_HOST_LOAD_BYTES <= before.size; i++)
		if ((before.data[i] & ISA_HOST_LOADS_MASK) ==
			    ((uint8_t)load[0] & ISA_HOST_LOADS_MASK) &&
		    !memcmp(before.data + i + 1, load + 1, ISA_HOST_LOAD_BYTES - 1))
			return true;
	return false;
}

/* In code as compilers make it: libraries are not looked at. */
static bool raw_sigaction_is_in(const struct file_view *v)
{
	static const char call[] = ISA_HOST_SYSTEM_CALL;
	Elf64_Phdr p;

	for (unsigned i = 0; dynamic_section_segment(v, i, &p); i++) {
		const uint8_t *begin, *at, *end;

		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X) || p.p_offset > v->size)
			continue;
		begin = at = part(v, p.p_offset, p.p_filesz).data;
		end = begin + part(v, p.p_offset, p.p_filesz).size;
		while ((at = memmem(at, (size_t)(end - at), call, sizeof(call) - 1))) {
			size_t before = at - begin < RAW_BYTES ? (size_t)(at - begin) : RAW_BYTES;

			if (loads_sigaction((struct bytes){at - before, before}))
				return true;
			at++;
		}
	}
	return false;
}

/* ---- the whole ----------------------------------------------------------------------------- */

void executable_look(const struct file_view *v, const char *path, struct executable *out)
{
	struct dynamic_section d;

	*out = (struct executable){0};
	program_look(v, &out->file);
	if (!out->file.is_elf || out->file.is_32_bit || !dynamic_section_find(v, &d))
		return;
	sanitizer_find(&d, &out->sanitizer);
	out->has_go_library = needed_libraries_have_go(&d, path);
	out->filters = raw_filter_is_in(v);
	out->sets_actions = !dynamic_section_has_prefix(&d, "__sanitizer_") &&
			    raw_sigaction_is_in(v);
	out->traces = dynamic_section_has_symbol(&d, "ptrace");
}

void executable_look_at_process(int pid, struct executable *out)
{
	struct softlbr_error ignored = {0};
	struct file_view v;
	char path[32];

	*out = (struct executable){0};
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (file_view_open(&v, path, &ignored))
		return;
	executable_look(&v, path, out);
	file_view_close(&v);
}

static struct executable_calls read_calls(const char *path)
{
	static const char *const pending[] = {"sigwait", "sigwaitinfo", "sigtimedwait",
					      "sigpending"};
	struct executable_calls calls = {0};
	struct softlbr_error ignored = {0};
	struct dynamic_section d;
	struct file_view v;

	if (file_view_open(&v, path, &ignored))
		return calls;
	calls.is_32_bit = v.size > EI_CLASS && v.data[EI_CLASS] == ELFCLASS32;
	if (v.size > EI_CLASS && v.data[EI_CLASS] == ELFCLASS64 && dynamic_section_find(&v, &d)) {
		calls.ptrace = dynamic_section_has_symbol(&d, "ptrace");
		calls.signalfd = dynamic_section_has_symbol(&d, "signalfd");
		calls.finds_leaks = has_leak_sanitizer(&d);
		calls.pending = has_one(&d, pending, sizeof(pending) / sizeof(pending[0]));
	}
	file_view_close(&v);
	return calls;
}

struct executable_calls executable_calls(int pid, struct executable_calls_known *known)
{
	struct executable_calls calls;
	struct stat st;
	char path[32];

	/* whoever serves it may stand still now, and wait for us */
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (served_file_program((uint32_t)pid) || stat(path, &st))
		return (struct executable_calls){0};
	if (known->inode != st.st_ino || known->device != st.st_dev ||
	    known->changed_ns != clock_timespec_ns(&st.st_ctim))
		*known = (struct executable_calls_known){
			st.st_dev, st.st_ino, clock_timespec_ns(&st.st_ctim), read_calls(path)};
	calls = known->calls;
	calls.finds_leaks = calls.finds_leaks && environment_finds_leaks(pid);
	return calls;
}

enum exclusion executable_exclusion(const struct executable *x)
{
	enum exclusion reason = program_file_exclusion(&x->file);

	if (reason)
		return reason;
	return x->has_go_library	   ? EXCLUSION_GO
	       : x->filters		   ? EXCLUSION_SECCOMP
	       : x->sets_actions	   ? EXCLUSION_ACTIONS
	       : x->sanitizer.from_outside ? EXCLUSION_SANITIZER
					   : EXCLUSION_NONE;
}
