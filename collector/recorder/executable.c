/* SPDX-License-Identifier: MIT */
#include "collector/recorder/executable.h"

#include <stdio.h>

#include "collector/recorder/executable_bytes.h"
#include "collector/recorder/needed_libraries.h"
#include "collector/recorder/raw_filter.h"
#include "collector/kernel/served_file.h"

void executable_look(const struct file_view *v, const char *path, struct executable *out)
{
	struct dynamic_section d;

	*out = (struct executable){0};
	executable_bytes_look(v, &out->file);
	if (!out->file.is_elf || out->file.is_32_bit || !dynamic_section_find(v, &d))
		return;
	sanitizer_find(&d, &out->sanitizer);
	out->has_go_library = needed_libraries_have_go(&d, path);
	out->filters = raw_filter_is_in(v);
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

static bool has_one(const struct dynamic_section *d, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (dynamic_section_has_symbol(d, names[i]))
			return true;
	return false;
}

struct executable_calls executable_calls(int pid)
{
	static const char *const pending[] = {"signalfd", "sigwait", "sigwaitinfo", "sigtimedwait",
					      "sigpending"};
	struct executable_calls calls = {0};
	struct softlbr_error ignored = {0};
	struct dynamic_section d;
	struct file_view v;
	char path[32];

	/* whoever serves it may stand still now, and wait for us */
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (served_file_program((uint32_t)pid) || file_view_open(&v, path, &ignored))
		return calls;
	if (v.size > EI_CLASS && v.data[EI_CLASS] == ELFCLASS64 && dynamic_section_find(&v, &d)) {
		calls.ptrace = dynamic_section_has_symbol(&d, "ptrace");
		calls.pending = has_one(&d, pending, sizeof(pending) / sizeof(pending[0]));
	}
	file_view_close(&v);
	return calls;
}

enum refusal executable_refusal(const struct executable *x)
{
	enum refusal reason = program_file_refusal(&x->file);

	if (reason)
		return reason;
	return x->has_go_library	   ? REFUSAL_GO
	       : x->filters		   ? REFUSAL_SECCOMP
	       : x->sanitizer.from_outside ? REFUSAL_SANITIZER
					   : REFUSAL_NONE;
}
