/* SPDX-License-Identifier: MIT */
/*
 * Function names as the consumer of a source profile wants them, and the merging that follows from
 * it: clones and parts of one function (foo.isra.0, foo.cold, foo.llvm.123) are one function to a
 * compiler that cuts the suffix when it looks a name up.
 */
#include "formats/model/source_profile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/md5.h"
#include "base/memory.h"

/* Length of @name without its last ".WORD" or ".WORD.NUMBER", if it ends so; else @length. */
static size_t without_suffix(const char *name, size_t length, const char *word)
{
	size_t word_length = strlen(word), end = length;

	while (end && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end < length && end && name[end - 1] == '.')
		end--;
	else
		end = length;
	if (end > word_length + 1 && !memcmp(name + end - word_length, word, word_length) &&
	    name[end - word_length - 1] == '.')
		return end - word_length - 1;
	return length;
}

static size_t without_suffixes(const char *name, const char *const *words)
{
	size_t length = strlen(name), before;

	do {
		before = length;
		for (size_t i = 0; words[i]; i++)
			length = without_suffix(name, length, words[i]);
	} while (length != before);
	return length;
}

/* A name that begins with '.' is kept: nothing would be left of it. */
static size_t first_dot(const char *name)
{
	const char *dot = *name ? strchr(name + 1, '.') : NULL;

	return dot ? (size_t)(dot - name) : strlen(name);
}

size_t source_name_length(const char *name, enum source_name_rule rule)
{
	static const char *const gcc16[] = {"isra", "constprop", "lto_priv", "part", "cold", NULL};
	static const char *const llvm[] = {"llvm", "part", "__part", "cold", NULL};

	switch (rule) {
	case SOURCE_NAMES_GCC:
		return first_dot(name);
	case SOURCE_NAMES_GCC16:
		return without_suffixes(name, gcc16);
	case SOURCE_NAMES_LLVM:
		return strstr(name, ".__uniq.") ? without_suffixes(name, llvm) : first_dot(name);
	}
	return strlen(name);
}

bool source_name_is_part_of(const char *name, const char *whole)
{
	static const char *const parts[] = {"cold", "part", "__part", NULL};
	size_t length = without_suffixes(name, parts);

	return length < strlen(name) && length == without_suffixes(whole, parts) &&
	       !memcmp(name, whole, length);
}

/*
 * GCC's debug information names the unified constructor or destructor (C4, D4), which no symbol
 * has: GCC looks for the complete-object one (GCC bug 64346; same endings as autofdo's writer).
 */
static void name_complete_object(char *name)
{
	static const char *const endings[] = {"D4Ev", "C4Ev", "C4EPKc", "C4EPKcRKS2_"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t n = strlen(endings[i]);

		if (length > n && !memcmp(name + length - n, endings[i], n))
			name[length - n + 1] = '2';
	}
}

static uint32_t renamed(const char *name, enum source_name_rule rule, struct strings *to)
{
	size_t length = source_name_length(name, rule);
	char *copy = memory_alloc(length + 1);
	uint32_t number = STRINGS_NONE;

	if (!copy)
		return number;
	memcpy(copy, name, length);
	if (rule == SOURCE_NAMES_GCC || rule == SOURCE_NAMES_GCC16)
		name_complete_object(copy);
	number = strings_add_text(to, copy);
	memory_free(copy);
	return number;
}

static int rename_all(const struct strings *from, enum source_name_rule rule, bool as_is,
		      struct strings *to, struct source_renaming *r)
{
	uint32_t count = strings_count(from);

	r->names = memory_alloc_array(count, sizeof(*r->names));
	r->files = memory_alloc_array(count, sizeof(*r->files));
	if (!r->names || !r->files)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		const char *text = strings_text(from, i);

		r->names[i] = as_is ? strings_add_text(to, text) : renamed(text, rule, to);
		r->files[i] = strings_add_text(to, text);
		if (r->names[i] == STRINGS_NONE || r->files[i] == STRINGS_NONE)
			return -1;
	}
	return 0;
}

static int add_all_renamed(struct source_profile *to, const struct source_profile *from,
			   const struct source_renaming *r)
{
	const struct source_function *f;

	vector_each (&from->functions, f) {
		struct source_function *g = source_profile_function(to, r->names[f->name]);

		if (!g || source_function_merge(g, f, r))
			return -1;
	}
	return 0;
}

static void renaming_deinit(struct source_renaming *r)
{
	memory_free(r->names);
	memory_free(r->files);
}

int source_profile_for_consumer(const struct source_profile *p, enum source_name_rule rule,
				struct source_profile *out)
{
	struct source_function *g;
	struct source_renaming r = {0};
	bool as_is = p->llvm_finished && rule == SOURCE_NAMES_LLVM;
	int rc = source_profile_init(out);

	/* beside Go's there are functions of C: gcc's suffixes are all that is to be cut */
	if (p->dotted_names)
		rule = SOURCE_NAMES_GCC16;
	if (!rc)
		rc = rename_all(p->strings, rule, as_is, out->strings, &r);
	out->llvm_producer = p->llvm_producer;
	out->dotted_names = p->dotted_names;
	out->md5_names = p->md5_names;
	out->llvm_finished = p->llvm_finished;
	if (!rc)
		rc = add_all_renamed(out, p, &r);
	vector_each (&out->functions, g)
		if (!as_is && !g->head && source_function_total(g))
			g->head = 1; /* parts alone were seen, but the function ran */
	if (!rc)
		rc = source_profile_sort(out);
	renaming_deinit(&r);
	if (rc)
		source_profile_deinit(out);
	return rc;
}

/* (MD5 of a name, 0) -> n = its number in @names + 1; a whole name comes before one that is cut as
 * clang cuts it. */
static int hash_names(const struct strings *names, struct map *hashes)
{
	for (unsigned cut = 0; cut < 2; cut++)
		for (uint32_t i = 0; i < strings_count(names); i++) {
			const char *name = strings_text(names, i);
			size_t length = cut ? source_name_length(name, SOURCE_NAMES_LLVM)
					    : strlen(name);
			struct map_entry *e = map_at(hashes, md5_low64(name, length), 0);

			if (!e)
				return -1;
			if (!e->n)
				e->n = i + 1;
		}
	return 0;
}

static int unhash_all(struct source_renaming *r, const struct strings *known,
		      const struct map *hashes, const struct strings *from, struct strings *to)
{
	for (uint32_t i = 0; i < strings_count(from); i++) {
		const char *text = strings_text(from, i);
		const struct map_entry *e;
		char *end;
		uint64_t hash = strtoull(text, &end, 10);

		e = *text && !*end ? map_find(hashes, hash, 0) : NULL;
		if (e)
			r->names[i] = strings_add_text(to, strings_text(known, (uint32_t)e->n - 1));
		if (r->names[i] == STRINGS_NONE)
			return -1;
	}
	return 0;
}

int source_names_unhash(const struct source_profile *p, const struct source_profile *known,
			struct source_profile *out)
{
	struct source_renaming r = {0};
	struct map hashes = {0};
	int rc = source_profile_init(out);

	if (!rc)
		rc = rename_all(p->strings, SOURCE_NAMES_LLVM, true, out->strings, &r) ||
				     hash_names(known->strings, &hashes) ||
				     unhash_all(&r, known->strings, &hashes, p->strings,
						out->strings)
			     ? -1
			     : 0;
	out->llvm_producer = p->llvm_producer;
	out->llvm_finished = p->llvm_finished;
	if (!rc && (add_all_renamed(out, p, &r) || source_profile_sort(out)))
		rc = -1;
	renaming_deinit(&r);
	map_deinit(&hashes);
	if (rc)
		source_profile_deinit(out);
	return rc;
}
