/* SPDX-License-Identifier: MIT */
#include "formats/profile_kind.h"

#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "converter/gcc/files/counter_directory.h"
#include "formats/callgrind.h"
#include "formats/gcov.h"
#include "formats/llvm_profile.h"
#include "formats/perfdata_reader.h"
#include "formats/perfdata_write.h"
#include "formats/perfscript.h"
#include "formats/preagg.h"
#include "formats/ranges_text.h"

static bool line_is_fdata(const char *line, size_t length)
{
	if (length >= 6 && !memcmp(line, "no_lbr", 6))
		return true;
	if (length >= 16 && !memcmp(line, "boltedcollection", 16))
		return true;
	return length > 4 && line[0] >= '0' && line[0] <= '5' && line[1] == ' ' && line[2] != ' ' &&
	       memchr(line + 2, ' ', length - 2);
}

/* FUNCTION:TOTAL:HEAD */
static bool line_is_llvm_text(const char *line, size_t length)
{
	unsigned colons = 0;

	while (length && line[length - 1] == '\r')
		length--;
	for (size_t i = length; i > 0 && colons < 2; i--) {
		char c = line[i - 1];

		if (c == ':' && i < length && line[i] != ':')
			colons++;
		else if (c < '0' || c > '9')
			return false;
	}
	return colons == 2 && line[0] != ' ' && line[0] != ':';
}

/* The first line that is neither empty nor a comment. */
static const char *first_line(const char *text, const char *end, size_t *length)
{
	struct text rest = {text, end}, line;

	while (text_take_line(&rest, &line)) {
		*length = text_length(line);
		if (*length && *line.at != '#' && *line.at != '\r')
			return line.at;
	}
	return NULL;
}

enum profile_kind profile_kind_of(const uint8_t *data, size_t size)
{
	const char *line;
	size_t length = 0;

	if (perfdata_is(data, size))
		return PROFILE_PERFDATA;
	if (gcda_is(data, size)) /* with the same magic number as the next */
		return PROFILE_GCDA;
	if (size >= 4 && !memcmp(data, "adcg", 4))
		return PROFILE_GCOV;
	if (llvm_binary_is(data, size))
		return data[0] == 0xff ? PROFILE_LLVM_BINARY : PROFILE_LLVM_EXTBINARY;
	if (callgrind_is(data, size))
		return PROFILE_CALLGRIND;
	if (preagg_is(data, size))
		return PROFILE_PREAGG;
	if (ranges_text_is(data, size))
		return PROFILE_RANGES;
	line = first_line((const char *)data, (const char *)data + size, &length);
	if (line && line_is_fdata(line, length))
		return PROFILE_FDATA;
	if (line && line_is_llvm_text(line, length))
		return PROFILE_LLVM_TEXT;
	return perfscript_is(data, size) ? PROFILE_PERFSCRIPT : PROFILE_UNKNOWN;
}

/* Its first keys are in this order (bolt/include/bolt/Profile/ProfileYAMLMapping.h). */
static bool is_bolt_yaml(const uint8_t *data, size_t size)
{
	static const char keys[] = "---\nheader:\n  profile-version:";

	return size >= sizeof(keys) - 1 && !memcmp(data, keys, sizeof(keys) - 1);
}

static bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* The message of github.com/google/pprof/proto/profile.proto: all of it is fields of that, from 1
 * to 14, of which these begin it and are always there: types of samples, strings. */
static bool is_pprof(const uint8_t *data, size_t size)
{
	enum { SAMPLE_TYPE = 1, STRINGS = 6, FIRST_NUMBER = 7, LAST = 14, BYTES = 2 };
	const uint8_t *at = data, *end = data + size;
	bool types = false, strings = false;
	uint64_t tag, value;

	while (at < end) {
		if (!take_varint(&at, end, &tag) || !take_varint(&at, end, &value) ||
		    tag >> 3 < 1 || tag >> 3 > LAST)
			return false;
		types |= tag >> 3 == SAMPLE_TYPE;
		strings |= tag >> 3 == STRINGS;
		if ((tag & 7) == BYTES && value <= (uint64_t)(end - at))
			at += value;
		else if ((tag & 7) || tag >> 3 < FIRST_NUMBER)
			return false;
	}
	return types && strings;
}

static bool is_elf(const uint8_t *data, size_t size)
{
	return size >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG);
}

bool profile_kind_is_known_unread(const uint8_t *data, size_t size)
{
	return is_bolt_yaml(data, size) || is_pprof(data, size) || is_elf(data, size);
}

int profile_kind_refuse(const uint8_t *data, size_t size, const char *name, struct softlbr_error *e)
{
	if (is_bolt_yaml(data, size))
		return error_set(
			e, SOFTLBR_E_INPUT, name,
			"%s is llvm-bolt's YAML, which can't be read: it numbers the blocks "
			"that one version of llvm-bolt found, and has no addresses; give the "
			"recording, or fdata (perf2bolt without -w)",
			name);
	if (is_pprof(data, size))
		return error_set(
			e, SOFTLBR_E_INPUT, name,
			"%s is a profile of pprof, which has call stacks and no branches: nothing "
			"can be made of it; record with `softlbr record` or `perf record -b` (go "
			"build -pgo reads pprof itself)",
			name);
	if (is_elf(data, size))
		return error_set(
			e, SOFTLBR_E_INPUT, name,
			"%s is a program or library (ELF), not a recording or profile: give "
			"it with --binary",
			name);
	return error_set(e, SOFTLBR_E_INPUT, name,
			 "%s is %s: not a profile or recording that can be read", name,
			 size ? "of an unknown format" : "empty");
}

int profile_kind_open(const char *path, enum profile_kind *kind, struct file_view *view,
		      struct softlbr_error *e)
{
	int rc;

	*view = (struct file_view){0};
	if ((*kind == PROFILE_UNKNOWN || *kind == PROFILE_GCDA) && counter_directory_is(path)) {
		*kind = PROFILE_GCDA;
		return 0;
	}
	rc = perfdata_view_open(view, path, e);
	if (rc)
		return rc;
	if (*kind == PROFILE_UNKNOWN)
		*kind = profile_kind_of(view->data, view->size);
	if (*kind != PROFILE_UNKNOWN)
		return 0;
	return profile_kind_refuse(view->data, view->size, path, e);
}

static const char *const names[] = {
	[PROFILE_UNKNOWN] = "unknown",
	[PROFILE_PERFDATA] = "perf.data",
	[PROFILE_PERFSCRIPT] = "perf-script",
	[PROFILE_PREAGG] = "preagg",
	[PROFILE_RANGES] = "ranges",
	[PROFILE_CALLGRIND] = "callgrind",
	[PROFILE_FDATA] = "fdata",
	[PROFILE_GCOV] = "gcov",
	[PROFILE_LLVM_TEXT] = "llvm-text",
	[PROFILE_LLVM_BINARY] = "llvm-binary",
	[PROFILE_LLVM_EXTBINARY] = "llvm-extbinary",
	[PROFILE_GCDA] = "gcda",
};

static bool is_of(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	return (int)profile_kind_of(data, size) == kind->number;
}

struct file_guard_kind profile_kind_guarded(enum profile_kind kind)
{
	return (struct file_guard_kind){.name = names[kind], .is = is_of, .number = (int)kind};
}

const char *profile_kind_name(enum profile_kind kind)
{
	return names[kind];
}

enum profile_kind profile_kind_named(const char *name)
{
	for (int kind = PROFILE_UNKNOWN + 1; kind < PROFILE_KINDS; kind++)
		if (!strcmp(name, names[kind]))
			return (enum profile_kind)kind;
	return PROFILE_UNKNOWN;
}

bool profile_kind_is_recording(enum profile_kind kind)
{
	return kind > PROFILE_UNKNOWN && kind < PROFILE_FDATA;
}

bool profile_kind_is_counts(enum profile_kind kind)
{
	return kind >= PROFILE_PREAGG && kind <= PROFILE_CALLGRIND;
}

bool profile_kind_is_source(enum profile_kind kind)
{
	return kind >= PROFILE_GCOV && kind <= PROFILE_LLVM_EXTBINARY;
}

const char *profile_kind_names(bool (*is)(enum profile_kind kind),
			       char text[PROFILE_KIND_NAMES_BYTES])
{
	*text = '\0';
	for (int kind = PROFILE_UNKNOWN + 1; kind < PROFILE_KINDS; kind++)
		if (!is || is((enum profile_kind)kind))
			error_add_name(text, PROFILE_KIND_NAMES_BYTES, names[kind]);
	return text;
}

int profile_kind_read_counts(enum profile_kind kind, const uint8_t *data, size_t size,
			     const char *name, struct branch_profile *p, struct build_tags *tags,
			     struct softlbr_error *e)
{
	if (kind == PROFILE_PREAGG)
		return preagg_read_bytes(p, data, size, name, tags, e);
	return ranges_text_read_bytes(p, data, size, name, tags, e);
}

int profile_kind_read_only_file(enum profile_kind kind, const uint8_t *data, size_t size,
				const char *name, struct branch_profile *p, struct softlbr_error *e)
{
	struct branch_profile tagged = {0};
	struct build_tags tags = {0};
	int rc = profile_kind_read_counts(kind, data, size, name, &tagged, &tags, e)
			 ?: build_tags_select_only(&tags, &tagged, name, p, e);

	branch_profile_deinit(&tagged);
	build_tags_deinit(&tags);
	return rc;
}

int profile_kind_read_source(enum profile_kind kind, const uint8_t *data, size_t size,
			     const char *name, struct source_profile *p, unsigned *version,
			     struct softlbr_error *e)
{
	if (kind == PROFILE_GCOV)
		return gcov_read_bytes(data, size, name, p, version, e);
	if (kind == PROFILE_LLVM_TEXT)
		return llvm_text_read_bytes(data, size, name, p, e);
	return llvm_binary_read_bytes(data, size, name, p, e);
}
