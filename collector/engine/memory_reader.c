/* SPDX-License-Identifier: MIT */
#include "collector/engine/memory_reader.h"

#include <string.h>

#include "base/atomics.h"
#include "isa/host.h"

/* The first one is slow itself. */
#define PROBES_AT_FIRST 4u

/* How long a probe takes: a word that is in no cache takes longer, and a word that can't be
 * read is no fault. */
static uint64_t probe_ticks(const struct memory_reader *r, uint64_t address)
{
	uint64_t begin = isa_line_begin_ticks();

	r->source->probe(address);
	return isa_line_end_ticks() - begin;
}

/* Asked before anything that would bring the page: somebody may have to serve it who waits for us.
 */
static bool is_there(const struct memory_reader *r, uint64_t number)
{
	return !r->is_there || r->is_there(r->there, number);
}

#define NO_NUMBER UINT64_MAX

static void forget_windows(struct memory_reader *r)
{
	for (unsigned i = 0; i < ISA_WINDOWS; i++)
		r->windows[i].number = NO_NUMBER;
}

/* Forget the windows into the copy, which is to be another page's. */
static void forget_copy(struct memory_reader *r, const uint8_t *copy)
{
	for (unsigned i = 0; i < ISA_WINDOWS; i++)
		if (r->windows[i].bytes == copy)
			r->windows[i].number = NO_NUMBER;
}

/* Loads from the page that can't teach us anything more go without us. */
static void open_window(struct memory_reader *r, uint64_t number, const uint8_t *page,
			bool in_place)
{
	static const uint8_t all[MEMORY_PAGE / 64] = {[0 ... MEMORY_PAGE / 64 - 1] = 0xff};
	struct isa_window *w = &r->windows[number % ISA_WINDOWS];
	const uint8_t *again = r->lines ? cache_lines_page(r->lines, number * MEMORY_PAGE) : all;

	if (again)
		*w = (struct isa_window){
			.number = number, .bytes = page, .again = again, .in_place = in_place};
}

/* Copy the page to its place, where another page's copy may have been: that is not whole from here
 * on. */
static bool copy_page(struct memory_reader *r, uint64_t number, unsigned at)
{
	unsigned place = at % r->places;
	const struct memory_page *before = &r->pages[r->copied[place]];

	r->memory.replaced += before->run == r->run && before->way == MEMORY_COPIED &&
			      r->copied[place] % r->places == place;
	forget_copy(r, r->copies[place]);
	r->copied[place] = (uint16_t)at;
	return r->source->copy(r->pid, number * MEMORY_PAGE, r->copies[place], MEMORY_PAGE);
}

/* Is it ordinary memory? Remembered from the first time on. */
static bool is_ordinary(struct memory_reader *r, uint64_t number)
{
	uint64_t *known = &r->known->numbers[(number ^ number >> 12) % MEMORY_KNOWN];
	uint64_t *first = &r->known->numbers[number % MEMORY_KNOWN_FIRST];
	uint64_t there = atomic_read_relaxed(first);

	if (there == number || (there && atomic_read_relaxed(known) == number))
		return true;
	if (!r->source->is_ordinary(number * MEMORY_PAGE))
		return false;
	atomic_write_release(there ? known : first, number);
	return true;
}

/* process_vm_readv knows no protection keys, so only the probe tells whether we may load. */
static enum memory_way look(struct memory_reader *r, uint64_t number, unsigned at)
{
	if (!r->copy) {
		if (!is_ordinary(r, number))
			return MEMORY_UNREADABLE;
		if (r->source->probe(number * MEMORY_PAGE))
			return MEMORY_IN_PLACE;
	}
	return copy_page(r, number, at) ? MEMORY_COPIED : MEMORY_UNREADABLE;
}

/* Is the line of @address in the caches, before a copy of its page brings it in? Of a page's lines
 * only the first one that is loaded can be told. */
static void time_line(const struct memory_reader *r, uint64_t address, struct cache_lines *lines)
{
	if (r->copy && r->slow_ticks && !cache_lines_page(lines, address))
		lines->slow += probe_ticks(r, address) > r->slow_ticks;
}

static enum memory_way ask(struct memory_reader *r, uint64_t address, unsigned at,
			   struct cache_lines *lines)
{
	uint64_t number = address / MEMORY_PAGE;

	r->asked++;
	if (!is_there(r, number))
		return MEMORY_UNREADABLE;
	if (lines)
		time_line(r, address, lines);
	return look(r, number, at);
}

/* The bytes of the page of @address, or NULL if they can't be read. */
static const uint8_t *page_bytes(struct memory_reader *r, uint64_t address,
				 struct cache_lines *lines, bool *in_place)
{
	uint64_t number = address / MEMORY_PAGE;
	unsigned at = (unsigned)(number ^ number >> 9) % MEMORY_PAGES;
	struct memory_page *p = &r->pages[at];

	if (p->number != number || p->run != r->run ||
	    (p->way == MEMORY_COPIED && r->copied[at % r->places] != at)) {
		p->number = number;
		p->run = r->run;
		p->way = ask(r, address, at, lines);
	}
	*in_place = p->way == MEMORY_IN_PLACE;
	if (p->way == MEMORY_COPIED)
		return r->copies[at % r->places];
	return *in_place ? (const uint8_t *)(uintptr_t)(number * MEMORY_PAGE) : NULL;
}

static inline void copy_bytes(void *to, const void *from, size_t bytes)
{
	/* nearly always one of these: no call */
	if (bytes == 8)
		memcpy(to, from, 8);
	else if (bytes == 4)
		memcpy(to, from, 4);
	else if (bytes == 1)
		memcpy(to, from, 1);
	else
		memcpy(to, from, bytes);
}

static bool read_pages(struct memory_reader *r, uint64_t address, void *out, size_t bytes,
		       struct cache_lines *lines)
{
	uint8_t *to = out;

	while (bytes) {
		size_t offset = address % MEMORY_PAGE;
		size_t part = bytes < MEMORY_PAGE - offset ? bytes : MEMORY_PAGE - offset;
		bool in_place;
		const uint8_t *page = page_bytes(r, address, lines, &in_place);

		if (!page)
			return false;
		if (lines && in_place)
			cache_lines_load(lines, page + offset, part);
		else if (lines)
			cache_lines_note(lines, address, part);
		if (r->windows[address / MEMORY_PAGE % ISA_WINDOWS].number != address / MEMORY_PAGE)
			open_window(r, address / MEMORY_PAGE, page, in_place);
		copy_bytes(to, page + offset, part);
		to += part;
		address += part;
		bytes -= part;
	}
	return true;
}

static const uint8_t *touch_memory(void *context, uint64_t address, unsigned bytes)
{
	struct memory_reader *r = context;
	uint64_t number = address / MEMORY_PAGE, word = address / 8;
	size_t offset = address % MEMORY_PAGE;
	const struct isa_window *w = &r->windows[number % ISA_WINDOWS];

	(void)bytes; /* of one word */
	if (w->number != number)
		return NULL;
	if (!(w->again[offset / 64] >> word % 8 & 1))
		cache_lines_touch_word(r->lines, w->again, word, w->in_place);
	return w->bytes + offset;
}

static bool read_memory(void *context, uint64_t address, void *out, size_t bytes)
{
	struct memory_reader *r = context;
	const struct isa_window *w = &r->windows[address / MEMORY_PAGE % ISA_WINDOWS];
	size_t offset = address % MEMORY_PAGE;

	if (!r->lines || w->number != address / MEMORY_PAGE || offset + bytes > MEMORY_PAGE)
		return read_pages(r, address, out, bytes, r->lines);
	cache_lines_touch(r->lines, w->again, address, bytes, w->in_place);
	copy_bytes(out, w->bytes + offset, bytes);
	return true;
}

static bool fetch_code(void *context, uint64_t address, void *out, size_t bytes)
{
	return read_pages(context, address, out, bytes, NULL);
}

void memory_reader_forget_known(struct memory_known *known)
{
	for (unsigned i = 0; i < MEMORY_KNOWN; i++)
		atomic_write_release(&known->numbers[i], 0);
}

void memory_reader_init(struct memory_reader *r, struct memory_known *known,
			const struct memory_source *source, uint64_t pid)
{
	r->known = known;
	r->source = source;
	r->pid = pid;
	r->copies = r->own;
	r->places = MEMORY_COPIES;
	r->memory = (struct isa_memory){.read = read_memory,
					.touch = touch_memory,
					.fetch = fetch_code,
					.context = r,
					.windows = r->windows};
	forget_windows(r);
}

void memory_reader_lend(struct memory_reader *r, uint8_t (*copies)[MEMORY_PAGE])
{
	r->copies = copies;
	r->places = MEMORY_PAGES;
}

void memory_reader_begin(struct memory_reader *r, bool copy)
{
	r->copy = copy;
	forget_windows(r);
	if (++r->run == 0) { /* wrapped: forget what looks like this run's */
		memset(r->pages, 0, sizeof(r->pages));
		r->run = 1;
	}
}

void memory_reader_time_lines(struct memory_reader *r, uint64_t more_ticks)
{
	uint64_t word = 0, least = UINT64_MAX;

	for (unsigned i = 0; i < PROBES_AT_FIRST; i++) {
		uint64_t ticks = probe_ticks(r, (uintptr_t)&word);

		if (ticks < least)
			least = ticks;
	}
	r->slow_ticks = least + more_ticks;
}

static bool is_page_unchanged(struct memory_reader *r, uint64_t address, const uint8_t *copy)
{
	const uint8_t *words = cache_lines_page(r->lines, address);

	/* another thread may have thrown it away by now */
	if (!is_there(r, address / MEMORY_PAGE) ||
	    !r->source->copy(r->pid, address, r->fresh, MEMORY_PAGE))
		return false;
	for (size_t at = 0; words && at < MEMORY_PAGE; at += 8)
		if (words[at / 64] >> at / 8 % 8 & 1 && memcmp(&copy[at], &r->fresh[at], 8) != 0)
			return false;
	return true;
}

bool memory_reader_is_unchanged(struct memory_reader *r)
{
	for (unsigned i = 0; i < r->places; i++) {
		const struct memory_page *p = &r->pages[r->copied[i]];

		if (p->run == r->run && p->way == MEMORY_COPIED && r->copied[i] % r->places == i &&
		    !is_page_unchanged(r, p->number * MEMORY_PAGE, r->copies[i]))
			return false;
	}
	return true;
}

/* Bytes from @address on in pages that are there. */
static size_t bytes_there(struct memory_reader *r, uint64_t address, size_t bytes)
{
	size_t there = 0;

	for (unsigned i = 0; i < MEMORY_SOME_PAGES && there < bytes; i++) {
		if (!is_there(r, (address + there) / MEMORY_PAGE))
			return there;
		there += MEMORY_PAGE - (address + there) % MEMORY_PAGE;
	}
	return there < bytes ? there : bytes;
}

size_t memory_reader_copy(struct memory_reader *r, uint64_t address, void *out, size_t bytes)
{
	return r->source->copy_some(r->pid, address, out, bytes_there(r, address, bytes));
}

const char *memory_reader_mode_text(enum memory_reader_mode mode)
{
	static const char *const texts[] = {[MEMORY_PROBE] = "probe", [MEMORY_READV] = "readv"};

	return texts[mode];
}
