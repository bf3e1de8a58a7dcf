/* SPDX-License-Identifier: MIT */
#include "formats/callgrind.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* What a line of a position and no costs belongs to: the line before it. */
enum pending { PENDING_NONE, PENDING_CALL, PENDING_JUMP };

struct reader {
	struct text left; /* of the line at hand */
	uint64_t line;
	const char *name;
	struct callgrind *c;
	struct softlbr_error *e;
	struct map object_ids; /* (id in the file, 0) -> n = number in strings */
	uint32_t object, called_object;
	unsigned positions, event; /* columns of positions; of instructions among the costs */
	uint64_t address;
	enum pending pending;
	struct callgrind_transfer transfer;
	bool has_addresses, whole;
};

static int bad_line(const struct reader *r, const char *what)
{
	return error_set_at(r->e, SOFTLBR_E_INPUT, r->name, r->line, "%s:%" PRIu64 ": %s", r->name,
			    r->line, what);
}

static void skip_spaces(struct reader *r)
{
	text_skip(&r->left, " \t");
}

static void skip_word(struct reader *r)
{
	while (text_length(r->left) && *r->left.at != ' ')
		r->left.at++;
}

/* Decimal, or hexadecimal behind 0x. */
static bool take_number(struct reader *r, uint64_t *out)
{
	return text_take_number(&r->left, text_take(&r->left, "0x") ? 16 : 10, out);
}

/* A position: a number, or relative to the one before. */
static bool take_position(struct reader *r, uint64_t before, uint64_t *out)
{
	uint64_t distance;

	skip_spaces(r);
	if (text_take(&r->left, "*")) {
		*out = before;
		return true;
	}
	if (text_take(&r->left, "+")) {
		*out = before;
		return take_number(r, &distance) && !__builtin_add_overflow(before, distance, out);
	}
	if (text_take(&r->left, "-"))
		return take_number(r, &distance) && !__builtin_sub_overflow(before, distance, out);
	return take_number(r, out);
}

/* "(id) name", "(id)" or "name". */
static int read_object(struct reader *r, uint32_t *out)
{
	struct callgrind *c = r->c;
	struct map_entry *known = NULL;
	uint64_t id;

	if (text_take(&r->left, "(")) {
		if (!take_number(r, &id) || !text_take(&r->left, ")"))
			return bad_line(r, "the object's number is not whole");
		skip_spaces(r);
		if (!text_length(r->left)) {
			known = map_find(&r->object_ids, id, 0);
			if (!known)
				return bad_line(r, "an object that was not named before");
			*out = (uint32_t)known->n;
			return 0;
		}
		known = map_at(&r->object_ids, id, 0);
		if (!known)
			return error_set_nomem(r->e);
	}
	*out = strings_add(c->strings, r->left.at, text_length(r->left));
	if (*out == STRINGS_NONE)
		return error_set_nomem(r->e);
	if (known)
		known->n = *out;
	for (size_t i = 0; i < c->objects.count; i++)
		if (c->objects.items[i] == *out)
			return 0;
	return vector_add(&c->objects, *out) ? error_set_nomem(r->e) : 0;
}

/* COUNT TARGET..., or TAKEN/EXECUTED TARGET... */
static int read_transfer(struct reader *r, bool call)
{
	uint64_t executed, taken, to;

	if (!take_number(r, &taken) || (text_take(&r->left, "/") && !take_number(r, &executed)) ||
	    !take_position(r, r->address, &to))
		return bad_line(r, "expected a count and the target's position");
	r->transfer = (struct callgrind_transfer){
		.target_object = call ? r->called_object : r->object,
		.call = call,
		.to = to,
		.taken = taken,
	};
	r->pending = call ? PENDING_CALL : PENDING_JUMP;
	return 0;
}

static int end_transfer(struct reader *r)
{
	struct callgrind_transfer *t = vector_push(&r->c->transfers);

	if (!t)
		return error_set_nomem(r->e);
	*t = r->transfer;
	t->object = r->object;
	t->from = r->address;
	if (r->pending == PENDING_CALL)
		r->called_object = r->object;
	r->pending = PENDING_NONE;
	return 0;
}

static int read_costs(struct reader *r)
{
	uint64_t skipped, count = 0;
	struct map_entry *entry;

	if (!r->has_addresses)
		return bad_line(r,
				"counts without addresses of instructions: record with "
				"valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes");
	if (!take_position(r, r->address, &r->address))
		return bad_line(r, "expected an address");
	for (unsigned i = 1; i < r->positions; i++) {
		skip_spaces(r);
		skip_word(r);
	}
	if (r->pending)
		return end_transfer(r);
	for (unsigned i = 0; i <= r->event; i++) {
		skip_spaces(r);
		if (!text_length(r->left)) /* costs at the end that are 0 are left out */
			return 0;
		if (!take_number(r, i == r->event ? &count : &skipped))
			return bad_line(r, "expected a count");
	}
	entry = map_at(&r->c->instructions, r->object, r->address);
	if (!entry)
		return error_set_nomem(r->e);
	if (__builtin_add_overflow(entry->n, count, &entry->n))
		return bad_line(r, "the counts of an instruction are too large");
	return 0;
}

static int read_positions(struct reader *r)
{
	r->positions = 0;
	skip_spaces(r);
	r->has_addresses = text_take(&r->left, "instr");
	r->positions = r->has_addresses;
	skip_spaces(r);
	r->positions += text_take(&r->left, "line");
	return 0;
}

static int read_events(struct reader *r)
{
	for (r->event = 0;; r->event++) {
		skip_spaces(r);
		if (!text_length(r->left))
			return bad_line(r, "no event Ir, the number of executed instructions");
		if (text_take(&r->left, "Ir") && (!text_length(r->left) || *r->left.at == ' '))
			return 0;
		skip_word(r);
	}
}

static int read_line(struct reader *r)
{
	char c;

	while (text_length(r->left) && (r->left.end[-1] == '\r' || r->left.end[-1] == ' '))
		r->left.end--;
	if (!text_length(r->left) || *r->left.at == '#')
		return 0;
	c = *r->left.at;
	if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*') {
		r->whole = false;
		return read_costs(r);
	}
	if (r->pending)
		return bad_line(r, "expected the position of the call or jump before it");
	if (text_take(&r->left, "calls="))
		return read_transfer(r, true);
	if (text_take(&r->left, "jump=") || text_take(&r->left, "jcnd="))
		return read_transfer(r, false);
	if (text_take(&r->left, "cob="))
		return read_object(r, &r->called_object);
	if (text_take(&r->left, "ob=")) {
		int rc = read_object(r, &r->object);

		r->called_object = r->object;
		return rc;
	}
	if (text_take(&r->left, "positions:"))
		return read_positions(r);
	if (text_take(&r->left, "events:"))
		return read_events(r);
	if (text_take(&r->left, "totals:"))
		r->whole = true;
	return 0; /* functions, files, and what the header says of the run */
}

static int read_lines(struct reader *r, struct text rest)
{
	int rc = 0;

	while (!rc && text_take_line(&rest, &r->left)) {
		r->line++;
		rc = text_is_cut(rest, r->left) ? bad_line(r, "cut off: no line feed at the end")
						: read_line(r);
	}
	return !rc && !r->whole ? bad_line(r, "cut off: no totals at the end") : rc;
}

int callgrind_read_bytes(struct callgrind *c, const uint8_t *data, size_t size, const char *name,
			 struct softlbr_error *e)
{
	struct reader r = {.name = name, .c = c, .e = e, .positions = 1};
	int rc;

	c->strings = strings_new();
	r.object = r.called_object = c->strings ? strings_add_text(c->strings, "???") : 0;
	rc = c->strings && r.object != STRINGS_NONE
		     ? read_lines(&r, (struct text){(const char *)data, (const char *)data + size})
		     : error_set_nomem(e);
	map_deinit(&r.object_ids);
	return rc;
}

bool callgrind_is(const uint8_t *data, size_t size)
{
	static const char magic[] = "# callgrind format\n",
			  version[] = "version: 1\ncreator: callgrind";

	return (size >= sizeof(magic) - 1 && !memcmp(data, magic, sizeof(magic) - 1)) ||
	       (size >= sizeof(version) - 1 && !memcmp(data, version, sizeof(version) - 1));
}

void callgrind_deinit(struct callgrind *c)
{
	strings_free(c->strings);
	c->strings = NULL;
	map_deinit(&c->instructions);
	vector_deinit(&c->transfers);
	vector_deinit(&c->objects);
}
