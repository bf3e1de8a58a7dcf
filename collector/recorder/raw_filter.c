/* SPDX-License-Identifier: MIT */
#include "collector/recorder/raw_filter.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/recorder/dynamic_section.h"

#if defined(__x86_64__)
#include "collector/recorder/raw_filter_x86_64.h"
#elif defined(__aarch64__)
#include "collector/recorder/raw_filter_aarch64.h"
#else
#error "softlbr's collector does not know this CPU yet"
#endif

/* Between the loading of the number and the instruction, in either direction of an argument. */
#define NEAR_BYTES 64u

struct bytes {
	const uint8_t *data;
	size_t size;
};

static bool contains(struct bytes b, const uint8_t *what, size_t size)
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

	return contains(part(v, at, NEAR_BYTES), raw_filter_system_call,
			sizeof(raw_filter_system_call)) &&
	       (!is_prctl || contains(part(v, at - before, before + NEAR_BYTES),
				      raw_filter_set_seccomp, sizeof(raw_filter_set_seccomp)));
}

/* By the number's second byte, which is rare in code: programs have 100 MB of it. */
static bool find(const struct file_view *v, struct bytes code,
		 const uint8_t number[RAW_FILTER_LOAD_BYTES], bool is_prctl)
{
	const uint8_t *begin = code.data, *end = begin + code.size, *at = begin;

	while (at < end && (at = memchr(at, number[1], (size_t)(end - at)))) {
		if (at > begin && end - at >= (ptrdiff_t)RAW_FILTER_LOAD_BYTES - 1 &&
		    !memcmp(at - 1, number, RAW_FILTER_LOAD_BYTES) &&
		    sets_filter(v, (size_t)(at - 1 - (const uint8_t *)v->data), is_prctl))
			return true;
		at++;
	}
	return false;
}

bool raw_filter_is_in(const struct file_view *v)
{
	Elf64_Phdr p;

	for (unsigned i = 0; dynamic_section_segment(v, i, &p); i++) {
		struct bytes code;

		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X) || p.p_offset > v->size)
			continue;
		code = part(v, p.p_offset, p.p_filesz);
		if (find(v, code, raw_filter_seccomp, false) ||
		    find(v, code, raw_filter_prctl, true))
			return true;
	}
	return false;
}
