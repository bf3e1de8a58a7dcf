/* SPDX-License-Identifier: MIT */
#include "isa/shadow.h"

#include <string.h>

#include "isa/operand.h"

/* The places where nothing is remembered: the address of a word that would be in another one. */
static void forget_recent(struct isa_shadow *s)
{
	if (s->has_recent)
		memset(s->recent, 0, sizeof(s->recent));
	s->recent[0].address = 8;
	s->has_recent = false;
}

void isa_shadow_forget_recent(struct isa_shadow *s, uint32_t replaced)
{
	forget_recent(s);
	s->replaced = replaced;
}

static struct isa_shadow_recent *recent_of(struct isa_shadow *s, uint64_t address)
{
	return &s->recent[address / 8 % ISA_SHADOW_RECENT];
}

static void remember(struct isa_shadow *s, uint64_t address, const void *at)
{
	*recent_of(s, address) = (struct isa_shadow_recent){address, (uint8_t *)at};
	s->has_recent = true;
}

static void forget_one(struct isa_shadow *s, uint64_t address)
{
	struct isa_shadow_recent *r = recent_of(s, address);

	if (r->address == address)
		*r = (struct isa_shadow_recent){.address = r == s->recent ? 8 : 0};
}

void isa_shadow_reset(struct isa_shadow *s)
{
	if (++s->generation == 0) { /* wrapped: old words must not come back */
		memset(s->slot, 0, sizeof(s->slot));
		s->generation = 1;
	}
	memset(s->lines, 0, sizeof(s->lines));
	forget_recent(s);
	s->words = 0;
	s->changes++;
	s->ranges = 0;
	s->range_bytes = 0;
	s->memory_unknown = false;
}

void isa_shadow_forget(struct isa_shadow *s)
{
	uint64_t bytes = s->range_bytes;

	isa_shadow_reset(s);
	s->range_bytes = bytes;
	s->memory_unknown = true;
}

/* Neighbouring words in neighbouring slots: stack frames share cache lines. */
static unsigned slot_of(uint64_t address)
{
	return (unsigned)(address >> 3 ^ address >> 15 ^ address >> 27) & (ISA_SHADOW_SLOTS - 1);
}

/* The slot of the word, or the free one where it would be. */
static unsigned find_slot(const struct isa_shadow *s, uint64_t address)
{
	unsigned i = slot_of(address);

	while (s->slot[i].generation == s->generation &&
	       s->word[s->slot[i].word].address != address)
		i = (i + 1) & (ISA_SHADOW_SLOTS - 1);
	return i;
}

static struct isa_shadow_word *shadow_find(const struct isa_shadow *s, uint64_t address)
{
	const struct isa_shadow_slot *slot = &s->slot[find_slot(s, address)];

	return slot->generation == s->generation ? (struct isa_shadow_word *)&s->word[slot->word]
						 : NULL;
}

static void note_line(struct isa_shadow *s, uint64_t address)
{
	unsigned line = isa_shadow_line(address);

	s->lines[line / 64] |= UINT64_C(1) << line % 64;
}

static struct isa_shadow_word *find_or_add(struct isa_shadow *s, uint64_t address)
{
	struct isa_shadow_slot *slot = &s->slot[find_slot(s, address)];
	struct isa_shadow_word *w;

	if (slot->generation == s->generation)
		return &s->word[slot->word];
	if (s->words == ISA_SHADOW_WORDS)
		return NULL;
	note_line(s, address);
	*slot = (struct isa_shadow_slot){s->generation, (uint16_t)s->words};
	w = &s->word[s->words++];
	s->changes++;
	*w = (struct isa_shadow_word){.address = address};
	return w;
}

static bool is_whole(const struct isa_shadow_word *w)
{
	return w->written == 0xff && w->known == UINT64_MAX;
}

/* NULL: the shadow is full. */
static struct isa_shadow_word *store_word(struct isa_shadow *s, uint64_t address, unsigned offset,
					  unsigned bytes, struct isa_value v)
{
	struct isa_shadow_word *w = find_or_add(s, address);
	uint64_t mask = isa_mask(bytes) << offset * 8;

	if (!w)
		return NULL;
	w->bits = (w->bits & ~mask) | (v.bits << offset * 8 & mask);
	w->known = (w->known & ~mask) | (v.known << offset * 8 & mask);
	w->written |= (uint8_t)(((1u << bytes) - 1) << offset);
	if (is_whole(w))
		remember(s, address, &w->bits);
	else
		forget_one(s, address);
	return w;
}

bool isa_shadow_store(struct isa_shadow *s, uint64_t address, unsigned bytes, struct isa_value v)
{
	unsigned offset = address & 7, first = 8 - offset;

	address &= ~UINT64_C(7);
	if (bytes <= first)
		return store_word(s, address, offset, bytes, v);
	if (!store_word(s, address, offset, first, v))
		return false;
	v.bits >>= first * 8;
	v.known >>= first * 8;
	return store_word(s, address + 8, 0, bytes - first, v);
}

/* The range's content at @address, which lies in it. */
static bool range_byte(const struct isa_shadow_range *r, const struct isa_memory *m,
		       uint64_t address, uint8_t *bits, bool *known)
{
	uint64_t at = address - r->begin;

	*known = r->known;
	*bits = 0;
	if (!r->known)
		return true;
	if (r->copied)
		return m->read(m->context, r->source + at, bits, 1);
	*bits = (uint8_t)(r->pattern >> (at & 7) * 8);
	return true;
}

static bool ranges_byte(const struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
			uint8_t *bits, bool *known)
{
	for (unsigned i = s->ranges; i-- > 0;) {
		const struct isa_shadow_range *r = &s->range[i];

		if (address >= r->begin && address < r->end)
			return range_byte(r, m, address, bits, known);
	}
	*known = !s->memory_unknown;
	*bits = 0;
	return !*known || m->read(m->context, address, bits, 1);
}

bool isa_shadow_ranges_touch(const struct isa_shadow *s, uint64_t address, uint64_t bytes)
{
	for (unsigned i = 0; i < s->ranges; i++) {
		if (address < s->range[i].end && address + bytes > s->range[i].begin)
			return true;
	}
	return false;
}

static bool is_in_one_word(uint64_t address, unsigned bytes)
{
	return address % 8 + bytes <= 8;
}

/* From the program's memory; *again: where it was read before, or NULL. */
static inline bool load_clean(const struct isa_memory *m, uint64_t address, unsigned bytes,
			      struct isa_value *out, const uint8_t **again)
{
	const uint8_t *from = *again = m->touch && is_in_one_word(address, bytes)
					       ? m->touch(m->context, address, bytes)
					       : isa_memory_again(m, address, bytes);

	out->bits = 0;
	out->known = isa_mask(bytes);
	if (!from)
		return m->read(m->context, address, &out->bits, bytes);
	/* nearly always one of these: no call */
	if (bytes == 8)
		memcpy(&out->bits, from, 8);
	else if (bytes == 4)
		memcpy(&out->bits, from, 4);
	else if (bytes == 1)
		out->bits = *from;
	else
		memcpy(&out->bits, from, bytes);
	return true;
}

/* What lies behind the words: ranges, then the program's memory. */
static bool load_behind(const struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
			unsigned bytes, struct isa_value *out)
{
	const uint8_t *again;

	*out = (struct isa_value){0, 0};
	if (s->ranges && isa_shadow_ranges_touch(s, address, bytes)) {
		for (unsigned i = 0; i < bytes; i++) {
			uint8_t bits;
			bool known;

			if (!ranges_byte(s, m, address + i, &bits, &known))
				return false;
			out->bits |= (uint64_t)bits << i * 8;
			out->known |= (uint64_t)(known ? 0xff : 0) << i * 8;
		}
		return true;
	}
	if (s->memory_unknown)
		return true;
	return load_clean(m, address, bytes, out, &again);
}

static bool load_written(const struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
			 unsigned bytes, struct isa_value *out)
{
	unsigned offset = address & 7, first = 8 - offset;
	const struct isa_shadow_word *w = NULL, *next = NULL;
	struct isa_value words = {0, 0};
	uint64_t mask = isa_mask(bytes), covered;
	unsigned written = 0;

	if (s->words) {
		w = shadow_find(s, address - offset);
		if (bytes > first)
			next = shadow_find(s, address - offset + 8);
	}
	if (!w && !next)
		return load_behind(s, m, address, bytes, out);
	if (w) {
		words.bits = w->bits >> offset * 8;
		words.known = w->known >> offset * 8;
		written = w->written >> offset;
	}
	if (next) {
		words.bits |= next->bits << first * 8;
		words.known |= next->known << first * 8;
		written |= (unsigned)next->written << first;
	}
	written &= (1u << bytes) - 1;
	if (written == (1u << bytes) - 1) {
		out->bits = words.bits & mask;
		out->known = words.known & mask;
		return true;
	}
	if (!load_behind(s, m, address, bytes, out))
		return false;
	covered = isa_shadow_spread((uint8_t)written) & mask;
	out->bits = (out->bits & ~covered) | (words.bits & covered);
	out->known = (out->known & ~covered) | (words.known & covered);
	return true;
}

bool isa_shadow_load(const struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
		     unsigned bytes, struct isa_value *out)
{
	const uint8_t *again;

	if (isa_shadow_is_clean(s, address, bytes))
		return load_clean(m, address, bytes, out, &again);
	return load_written(s, m, address, bytes, out);
}

/* A word that can be recalled from here on; NULL: it can't be. */
static const uint8_t *whole_word(struct isa_shadow *s, const struct isa_memory *m, uint64_t address)
{
	const uint8_t *at = isa_shadow_recall(s, address, 8);

	return at ? at : isa_shadow_touch(s, m, address, 8);
}

/* Bytes of two words, if both can be recalled. */
static bool load_across(struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
			unsigned bytes, struct isa_value *out)
{
	unsigned offset = address % 8;
	const uint8_t *low = whole_word(s, m, address - offset), *high;
	uint64_t bits[2];

	high = low ? whole_word(s, m, address - offset + 8) : NULL;
	if (!high)
		return false;
	memcpy(&bits[0], low, 8);
	memcpy(&bits[1], high, 8);
	out->known = isa_mask(bytes);
	out->bits = (bits[0] >> offset * 8 | bits[1] << (64 - offset * 8)) & out->known;
	return true;
}

bool isa_shadow_load_again(struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
			   unsigned bytes, struct isa_value *out)
{
	const uint8_t *again;

	if (!is_in_one_word(address, bytes) && load_across(s, m, address, bytes, out))
		return true;
	if (!isa_shadow_is_clean(s, address, bytes)) {
		const struct isa_shadow_word *w = shadow_find(s, address & ~UINT64_C(7));

		if (w && is_whole(w))
			remember(s, w->address, &w->bits);
		return load_written(s, m, address, bytes, out);
	}
	if (!load_clean(m, address, bytes, out, &again))
		return false;
	if (again && is_in_one_word(address, bytes))
		remember(s, address & ~UINT64_C(7), again - address % 8);
	return true;
}

/* The bytes of a word that were not written are as if they were, which are @program's. */
static void complete_word(struct isa_shadow *s, struct isa_shadow_word *w, const uint8_t *program)
{
	uint64_t written = isa_shadow_spread(w->written), bits;

	memcpy(&bits, program, sizeof(bits));
	w->bits = (w->bits & written) | (bits & ~written);
	w->known = UINT64_MAX;
	w->written = 0xff;
	remember(s, w->address, &w->bits);
}

/* Is what was not written of the word the program's, and the rest of it known? */
static bool can_be_completed(const struct isa_shadow *s, const struct isa_shadow_word *w)
{
	return !(isa_shadow_spread(w->written) & ~w->known) && !s->memory_unknown &&
	       !isa_shadow_ranges_touch(s, w->address, 8);
}

/* From the program's memory, where nothing of the word was written. */
static inline const uint8_t *touch_clean(struct isa_shadow *s, const struct isa_memory *m,
					 uint64_t address, unsigned bytes)
{
	const uint8_t *at = m->touch(m->context, address, bytes);

	if (at)
		remember(s, address & ~UINT64_C(7), at - address % 8);
	return at;
}

/* Of a word that may have been written. */
static __attribute__((noinline)) const uint8_t *
touch_written(struct isa_shadow *s, const struct isa_memory *m, uint64_t address, unsigned bytes)
{
	uint64_t word = address & ~UINT64_C(7);
	struct isa_shadow_word *w = shadow_find(s, word);
	const uint8_t *program;

	if (!w)
		return s->memory_unknown || isa_shadow_ranges_touch(s, word, 8)
			       ? NULL
			       : touch_clean(s, m, address, bytes);
	if (is_whole(w)) {
		remember(s, word, &w->bits);
		return (const uint8_t *)&w->bits + address % 8;
	}
	program = can_be_completed(s, w) ? m->touch(m->context, word, 8) : NULL;
	if (!program)
		return NULL;
	complete_word(s, w, program);
	return (const uint8_t *)&w->bits + address % 8;
}

const uint8_t *isa_shadow_touch(struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
				unsigned bytes)
{
	unsigned line = isa_shadow_line(address);

	if (!m->touch || !is_in_one_word(address, bytes))
		return NULL;
	if (s->lines[line / 64] >> line % 64 & 1 || s->ranges || s->memory_unknown)
		return touch_written(s, m, address, bytes);
	return touch_clean(s, m, address, bytes);
}

bool isa_shadow_store_again(struct isa_shadow *s, const struct isa_memory *m, uint64_t address,
			    unsigned bytes, struct isa_value v)
{
	uint64_t word = address & ~UINT64_C(7);
	const uint8_t *program;
	struct isa_shadow_word *w;

	if (!is_in_one_word(address, bytes))
		return isa_shadow_store(s, address, bytes, v);
	w = store_word(s, word, address & 7, bytes, v);
	program = w && w->written != 0xff ? isa_memory_again(m, word, 8) : NULL;
	if (program && can_be_completed(s, w))
		complete_word(s, w, program);
	return w;
}

/* Take the bytes [begin, end) out of the words. */
static void unwrite(struct isa_shadow *s, uint64_t begin, uint64_t end)
{
	for (unsigned i = 0; i < s->words; i++) {
		struct isa_shadow_word *w = &s->word[i];
		uint64_t keep;

		if (w->address + 8 <= begin || w->address >= end)
			continue;
		for (unsigned byte = 0; byte < 8; byte++) {
			if (w->address + byte >= begin && w->address + byte < end)
				w->written &= (uint8_t) ~(1u << byte);
		}
		keep = isa_shadow_spread(w->written);
		w->bits &= keep;
		w->known &= keep;
	}
}

static bool add_range(struct isa_shadow *s, const struct isa_shadow_range *r)
{
	if (s->ranges == ISA_SHADOW_RANGES || r->end < r->begin)
		return false;
	unwrite(s, r->begin, r->end);
	forget_recent(s);
	s->range[s->ranges++] = *r;
	s->range_bytes += r->end - r->begin;
	s->changes++;
	return true;
}

bool isa_shadow_fill(struct isa_shadow *s, uint64_t address, uint64_t bytes,
		     const uint64_t *pattern)
{
	struct isa_shadow_range r = {
		.begin = address,
		.end = address + bytes,
		.pattern = pattern ? *pattern : 0,
		.known = pattern != NULL,
	};

	return add_range(s, &r);
}

bool isa_shadow_touched(const struct isa_shadow *s, uint64_t begin, uint64_t end)
{
	for (unsigned i = 0; i < s->words; i++) {
		const struct isa_shadow_word *w = &s->word[i];

		if (w->written && w->address < end && w->address + 8 > begin)
			return true;
	}
	return false;
}

bool isa_shadow_copy(struct isa_shadow *s, uint64_t address, uint64_t source, uint64_t bytes)
{
	struct isa_shadow_range r = {
		.begin = address,
		.end = address + bytes,
		.source = source,
		.copied = true,
		.known = !s->memory_unknown,
	};

	/* a source that look-ahead itself wrote is not in the program's memory: unknown */
	if (isa_shadow_ranges_touch(s, source, bytes) ||
	    isa_shadow_touched(s, source, source + bytes))
		r.known = false;
	return add_range(s, &r);
}

bool isa_shadow_wrote(const struct isa_shadow *s, uint64_t address, uint32_t words)
{
	const struct isa_shadow_word *w;

	if (isa_shadow_is_clean(s, address, 8))
		return false;
	w = shadow_find(s, address);
	return s->memory_unknown || (w && (uint32_t)(w - s->word) < words) ||
	       isa_shadow_ranges_touch(s, address, 8);
}
