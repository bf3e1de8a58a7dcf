/* SPDX-License-Identifier: MIT */
/*
 * Where a function's code has values that are worth to know, and which instructions before such a
 * site have the same value in a register already: the backward slices of Taming Hardware Event
 * Samples, section 5.3.
 */
#include "converter/binary/code.h"

#include <string.h>

#include "base/memory.h"

#define NOWHERE UINT32_MAX
/* A function's first instruction, and where control comes from several places. */
#define MANY (UINT32_MAX - 1)
/* Instructions that are looked at for what arguments a function has. */
#define ENTRY_INSTRUCTIONS 256u
#define ARGUMENTS	   6u

struct value_sites {
	struct binary *binary;
	struct code_cache *cache;
	struct operands_reader *reader; /* NULL: the CPU is not known */
	uint16_t machine;
	struct map arguments; /* (entry, 0) -> n = bits, + 1 */
	/* of the function read last */
	const struct code *code;
	VECTOR(struct operands) operands;
	VECTOR(uint32_t) before; /* number of the only instruction before, NOWHERE, MANY */
	VECTOR(struct value_place) places;
};

struct value_sites *value_sites_new(struct binary *b, struct code_cache *cache)
{
	struct value_sites *s = memory_alloc(sizeof(*s));

	if (!s)
		return NULL;
	s->binary = b;
	s->cache = cache;
	s->machine = binary_machine(b);
	s->reader = operands_reader_new(s->machine);
	if (!s->reader && value_sites_are_known(b)) { /* no memory for the reader */
		value_sites_free(s);
		return NULL;
	}
	return s;
}

void value_sites_free(struct value_sites *s)
{
	if (!s)
		return;
	operands_reader_free(s->reader);
	map_deinit(&s->arguments);
	vector_deinit(&s->operands);
	vector_deinit(&s->before);
	vector_deinit(&s->places);
	memory_free(s);
}

bool value_sites_are_known(const struct binary *b)
{
	return operands_are_known(binary_machine(b));
}

static bool read_operands(struct value_sites *s, uint64_t va, struct operands *out)
{
	size_t available;
	const uint8_t *bytes = s->reader ? binary_code(s->binary, va, &available) : NULL;

	if (bytes)
		operands_read(s->reader, bytes, available, va, out);
	return bytes;
}

/* The number of the argument that is a size, of a function of libc; or VALUE_SITES_NO_SIZE. */
static uint8_t size_argument(const char *name)
{
	static const struct {
		const char *name;
		uint8_t argument;
	} known[] = {
		{"memcpy", 2},	      {"memmove", 2},	    {"memset", 2},
		{"memcmp", 2},	      {"bcmp", 2},	    {"mempcpy", 2},
		{"__mempcpy", 2},     {"memchr", 2},	    {"memrchr", 2},
		{"strncmp", 2},	      {"strncpy", 2},	    {"stpncpy", 2},
		{"strncat", 2},	      {"strncasecmp", 2},   {"bcopy", 2},
		{"bzero", 1},	      {"strnlen", 1},	    {"__memcpy_chk", 2},
		{"__memset_chk", 2},  {"__memmove_chk", 2}, {"__mempcpy_chk", 2},
		{"__strncpy_chk", 2},
	};
	size_t length = name ? strcspn(name, "@") : 0;

	for (size_t i = 0; length && i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].name) == length && !memcmp(known[i].name, name, length))
			return known[i].argument;
	return VALUE_SITES_NO_SIZE;
}

static const char *name_of(const struct value_sites *s, uint64_t target, bool *is_plt)
{
	const struct binary_function *f;
	uint64_t begin;
	const char *name = binary_plt_at(s->binary, target, &begin);

	*is_plt = name;
	if (name)
		return name;
	f = binary_function_at(s->binary, target);
	return f && f->begin == target ? f->name : NULL;
}

void value_sites_instruction(struct value_sites *s, uint64_t va, struct value_instruction *out)
{
	struct isa_insn insn;
	bool is_plt;

	*out = (struct value_instruction){.size = VALUE_SITES_NO_SIZE};
	if (!binary_decode(s->binary, va, &insn) || !read_operands(s, va, &out->operands))
		return;
	out->divides = out->operands.divides;
	/* a jump to a stub or to another function */
	out->calls = isa_is_call(insn.kind) || insn.kind == ISA_JUMP ||
		     insn.kind == ISA_JUMP_INDIRECT;
	out->indirect = insn.kind == ISA_CALL_INDIRECT || insn.kind == ISA_JUMP_INDIRECT;
	if (insn.kind != ISA_CALL && insn.kind != ISA_JUMP)
		return;
	out->target = insn.target;
	out->size = size_argument(name_of(s, insn.target, &is_plt));
}

bool value_sites_may_call(const struct value_sites *s, uint64_t va, uint64_t target)
{
	const struct binary_function *from = binary_function_at(s->binary, va), *to;
	struct isa_insn insn;

	if (!binary_decode(s->binary, va, &insn) || insn.kind != ISA_JUMP_INDIRECT)
		return true;
	if (!from)
		return false; /* a stub */
	to = target == VALUE_ELSEWHERE ? NULL : binary_function_at(s->binary, target);
	return target == VALUE_ELSEWHERE ||
	       (to && to->begin == target && (to == from || !jump_tables_same_function(from, to)));
}

struct entry_walk {
	uint64_t begin, end; /* of the function */
	unsigned left;	     /* instructions to look at */
	uint64_t read;	     /* registers */
};

/* Along one path, with the registers that still hold what the caller put there. A call hands on
 * what it likes, so it says nothing. */
static void walk_entry(struct value_sites *s, struct entry_walk *w, uint64_t va, uint64_t live)
{
	while (live && w->left && va >= w->begin && va < w->end) {
		struct operands o;
		struct isa_insn insn;

		w->left--;
		if (!binary_decode(s->binary, va, &insn) || !read_operands(s, va, &o))
			return;
		if (isa_is_call(insn.kind))
			return;
		w->read |= o.read & live;
		live &= ~o.written;
		if (insn.kind == ISA_JUMP_CONDITIONAL)
			walk_entry(s, w, insn.target, live);
		if (insn.kind == ISA_JUMP && insn.target > va)
			va = insn.target;
		else if (isa_ends_line(insn.kind))
			return;
		else
			va += insn.length;
		live &= ~w->read;
	}
}

int value_sites_arguments(struct value_sites *s, uint64_t entry)
{
	const struct binary_function *f = binary_function_at(s->binary, entry);
	struct entry_walk w = {.left = ENTRY_INSTRUCTIONS};
	struct map_entry *e = map_at(&s->arguments, entry, 0);
	uint64_t live = 0;
	int bits = 0;

	if (!e)
		return -1;
	if (e->n)
		return (int)e->n - 1;
	for (unsigned i = 0; i < ARGUMENTS; i++)
		if (operands_argument(s->machine, i) != OPERANDS_NO_REGISTER)
			live |= UINT64_C(1) << operands_argument(s->machine, i);
	if (f && f->begin == entry) {
		w.begin = f->begin;
		w.end = f->end;
		walk_entry(s, &w, entry, live);
	}
	for (unsigned i = 0; i < ARGUMENTS; i++)
		if (live && w.read >> operands_argument(s->machine, i) & 1)
			bits |= 1 << i;
	e->n = (uint64_t)bits + 1;
	return bits;
}

static void add_edge(struct value_sites *s, size_t from, size_t to)
{
	uint32_t *before = &s->before.items[to];

	*before = *before == NOWHERE || *before == from ? (uint32_t)from : MANY;
}

static int find_edges(struct value_sites *s)
{
	const struct code *c = s->code;
	struct jump_targets targets = {0};
	const struct jump_target *t;

	for (size_t i = 0; i < c->count; i++)
		*(uint32_t *)vector_push(&s->before) = i ? NOWHERE : MANY;
	for (size_t i = 0; i < c->count; i++) {
		const struct isa_insn *insn = &c->insns[i];
		size_t to = CODE_NONE;

		if (i + 1 < c->count && !isa_ends_line(insn->kind) &&
		    insn->address + insn->length == insn[1].address)
			add_edge(s, i, i + 1);
		if (insn->kind == ISA_JUMP || insn->kind == ISA_JUMP_CONDITIONAL)
			to = code_find(c, insn->target);
		if (to != CODE_NONE)
			add_edge(s, i, to);
	}
	if (jump_tables_find(s->binary, s->cache, c, &targets)) {
		vector_deinit(&targets.items);
		return -1;
	}
	vector_each (&targets.items, t) {
		size_t to = code_find(c, t->va);

		if (to != CODE_NONE)
			add_edge(s, t->insn, to);
	}
	vector_deinit(&targets.items);
	return 0;
}

static int add_place(struct value_sites *s, struct value_place place)
{
	if (place.reg == OPERANDS_NO_REGISTER)
		return 0;
	return vector_add(&s->places, place);
}

static int add_call(struct value_sites *s, size_t i, uint64_t target)
{
	bool is_plt;
	uint8_t size = size_argument(name_of(s, target, &is_plt));
	uint64_t va = s->code->insns[i].address;
	int arguments, rc = 0;

	if (size != VALUE_SITES_NO_SIZE)
		rc = add_place(s, (struct value_place){.insn = i,
						       .va = va,
						       .kind = VALUE_SIZE,
						       .reg = operands_argument(s->machine, size),
						       .bytes = 8});
	if (rc || is_plt)
		return rc;
	arguments = value_sites_arguments(s, target);
	if (arguments < 0)
		return -1;
	for (unsigned a = 0; !rc && a < ARGUMENTS; a++)
		if (arguments >> a & 1)
			rc = add_place(s,
				       (struct value_place){.insn = i,
							    .va = target,
							    .kind = VALUE_ARGUMENT + a,
							    .reg = operands_argument(s->machine, a),
							    .bytes = 8});
	return rc;
}

static int find_places(struct value_sites *s)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < s->code->count; i++) {
		const struct isa_insn *insn = &s->code->insns[i];
		const struct operands *o = &s->operands.items[i];

		if (o->divides)
			rc = add_place(s, (struct value_place){.insn = i,
							       .va = insn->address,
							       .kind = VALUE_DIVISOR,
							       .reg = o->divisor,
							       .bytes = o->divisor_bytes,
							       .is_signed = o->is_signed});
		else if (insn->kind == ISA_CALL_INDIRECT || insn->kind == ISA_JUMP_INDIRECT)
			rc = add_place(s, (struct value_place){.insn = i,
							       .va = insn->address,
							       .kind = VALUE_TARGET,
							       .reg = o->target,
							       .bytes = 8});
		else if (insn->kind == ISA_CALL)
			rc = add_call(s, i, insn->target);
		/* a jump to another function calls it */
		else if (insn->kind == ISA_JUMP && (insn->target < s->code->function->begin ||
						    insn->target >= s->code->function->end))
			rc = add_call(s, i, insn->target);
	}
	return rc;
}

int value_sites_read(struct value_sites *s, const struct binary_function *f)
{
	s->operands.count = s->before.count = s->places.count = 0;
	s->code = code_cache_get(s->cache, f);
	if (!s->code || vector_reserve(&s->operands, s->code->count) ||
	    vector_reserve(&s->before, s->code->count))
		return -1;
	for (size_t i = 0; i < s->code->count; i++) {
		struct operands *o = vector_push(&s->operands);

		if (!read_operands(s, s->code->insns[i].address, o))
			*o = (struct operands){.written = UINT64_MAX,
					       .copied = OPERANDS_NO_REGISTER,
					       .divisor = OPERANDS_NO_REGISTER,
					       .target = OPERANDS_NO_REGISTER};
	}
	return find_edges(s) || find_places(s) ? -1 : 0;
}

const struct value_place *value_sites_places(const struct value_sites *s, size_t *count)
{
	*count = s->places.count;
	return s->places.items;
}

bool value_sites_step_back(const struct value_sites *s, struct value_place *at)
{
	uint32_t before = s->before.items[at->insn];
	const struct operands *o;

	if (before == NOWHERE || before == MANY)
		return false;
	o = &s->operands.items[before];
	at->insn = before;
	if (o->copied == at->reg && o->source != OPERANDS_NO_REGISTER) {
		at->reg = o->source;
		if (o->copied_bytes < at->bytes) {
			at->bytes = o->copied_bytes;
			at->is_signed = false; /* the rest was cleared */
		}
		return true;
	}
	return !(o->written >> at->reg & 1);
}
