/* SPDX-License-Identifier: MIT */
#include "base/strings.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/vector.h"

struct text {
	char *bytes;
	size_t length;
};

struct strings {
	VECTOR(struct text) texts;
	uint32_t *slots; /* number + 1, 0 = free */
	size_t capacity;
};

static uint64_t hash(const char *text, size_t length)
{
	uint64_t h = hash_on(HASH_OF_NOTHING, text, length);

	return h ^ h >> 32;
}

static uint32_t *slot(const struct strings *s, const char *text, size_t length)
{
	size_t mask = s->capacity - 1, i = hash(text, length) & mask;

	while (s->slots[i]) {
		const struct text *t = &s->texts.items[s->slots[i] - 1];

		if (t->length == length && !memcmp(t->bytes, text, length))
			break;
		i = (i + 1) & mask;
	}
	return &s->slots[i];
}

static int grow(struct strings *s)
{
	size_t capacity = s->capacity ? s->capacity * 2 : 256;
	uint32_t *slots = memory_alloc_array(capacity, sizeof(*slots));

	if (!slots)
		return -1;
	memory_free(s->slots);
	s->slots = slots;
	s->capacity = capacity;
	for (uint32_t i = 0; i < s->texts.count; i++)
		*slot(s, s->texts.items[i].bytes, s->texts.items[i].length) = i + 1;
	return 0;
}

struct strings *strings_new(void)
{
	struct strings *s = memory_alloc(sizeof(*s));

	if (s && (grow(s) || strings_add(s, "", 0) != 0)) {
		strings_free(s);
		return NULL;
	}
	return s;
}

void strings_free(struct strings *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->texts.count; i++)
		memory_free(s->texts.items[i].bytes);
	vector_deinit(&s->texts);
	memory_free(s->slots);
	memory_free(s);
}

uint32_t strings_add(struct strings *s, const char *text, size_t length)
{
	uint32_t *at = slot(s, text, length);
	struct text *t;
	char *bytes;

	if (*at)
		return *at - 1;
	if (s->texts.count * 2 >= s->capacity) {
		if (s->texts.count >= UINT32_MAX / 4 || grow(s))
			return STRINGS_NONE;
		at = slot(s, text, length);
	}
	bytes = memory_alloc(length + 1);
	if (!bytes)
		return STRINGS_NONE;
	t = vector_push(&s->texts);
	if (!t) {
		memory_free(bytes);
		return STRINGS_NONE;
	}
	memcpy(bytes, text, length);
	*t = (struct text){.bytes = bytes, .length = length};
	*at = (uint32_t)s->texts.count;
	return *at - 1;
}

uint32_t strings_add_text(struct strings *s, const char *text)
{
	return strings_add(s, text, strlen(text));
}

uint32_t strings_find(const struct strings *s, const char *text, size_t length)
{
	uint32_t found = *slot(s, text, length);

	return found ? found - 1 : STRINGS_NONE;
}

const char *strings_text(const struct strings *s, uint32_t number)
{
	return number < s->texts.count ? s->texts.items[number].bytes : "";
}

uint32_t strings_count(const struct strings *s)
{
	return (uint32_t)s->texts.count;
}
