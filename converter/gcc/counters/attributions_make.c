/* SPDX-License-Identifier: MIT */
/* Attribution of a program's instructions, and of their counts in a branch profile, to gcc's
 * statements and blocks. */
#include "converter/gcc/counters/attributions.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "converter/cfg/blocks.h"
#include "converter/cfg/cfg.h"
#include "converter/gcc/counters/contexts.h"
#include "isa/isa.h"

#define SEVERAL UINT64_MAX

struct attributor {
	struct binary *binary;
	const struct branch_profile *profile;
	uint64_t scale;
	struct attributions *out;
	struct context_frames frames;
	struct block_finder *finder;
	struct cfg_branches branches;
	struct map seen, ran; /* symbols by address, and by their base's number */
	struct map objects;   /* (unit of the debug information, 0) -> n = object + 1, or SEVERAL */

	/* of the symbol at hand */
	const struct binary_function *symbol;
	const struct blocks *blocks;
	VECTOR(uint64_t) counts;   /* by instruction */
	VECTOR(uint32_t) arrivals; /* by block: edges that lead there */
};

static bool leaves(const struct attributor *o, const struct isa_insn *insn)
{
	const struct binary_function *to;

	if (insn->kind != ISA_JUMP && insn->kind != ISA_JUMP_CONDITIONAL)
		return false;
	if (insn->target >= o->symbol->begin && insn->target < o->symbol->end)
		return false;
	to = binary_function_at(o->binary, insn->target);
	if (!to)
		return true;
	return strncmp(to->name, o->symbol->name, strcspn(o->symbol->name, ".")) ||
	       strcspn(to->name, ".") != strcspn(o->symbol->name, ".");
}

static uint8_t kind_of(const struct attributor *o, const struct isa_insn *insn, uint32_t *operation)
{
	struct isa_role_of role;
	const uint8_t *bytes;
	size_t size;

	*operation = 0;
	if (isa_is_call(insn->kind) || leaves(o, insn))
		return ATTRIBUTION_CALL;
	if (insn->kind == ISA_JUMP_CONDITIONAL)
		return ATTRIBUTION_CONDITION;
	if (insn->kind == ISA_JUMP || insn->kind == ISA_JUMP_INDIRECT)
		return ATTRIBUTION_JUMP;
	bytes = binary_code(o->binary, insn->address, &size);
	if (!bytes)
		return ATTRIBUTION_COMPUTE;
	role = isa_decoder_find_role(binary_machine(o->binary), bytes,
				     size < insn->length ? size : insn->length);
	if (role.role == ISA_ROLE_SELECT)
		return ATTRIBUTION_SELECT;
	*operation = role.operation;
	return role.role == ISA_ROLE_STORE     ? ATTRIBUTION_STORE
	       : role.role == ISA_ROLE_SHUFFLE ? ATTRIBUTION_SHUFFLE
					       : ATTRIBUTION_COMPUTE;
}

/* The branches from an instruction, by their targets. */
static const struct cfg_branch *branches_of(const struct attributor *o, const struct isa_insn *insn,
					    size_t *count)
{
	size_t first = cfg_branches_from(&o->branches, insn->address), end = first;

	while (end < o->branches.by_from.count &&
	       o->branches.by_from.items[end].from == insn->address)
		end++;
	*count = end - first;
	return vector_at(&o->branches.by_from, first);
}

static uint64_t times_taken(const struct attributor *o, const struct isa_insn *insn)
{
	size_t count;
	const struct cfg_branch *b = branches_of(o, insn, &count);
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		if (b[i].to == insn->target)
			sum += b[i].n;
	return sum * o->scale;
}

static int add_jump(struct attributor *o, const struct attribution *of, const struct isa_insn *insn)
{
	uint64_t taken = times_taken(o, insn);

	return vector_add(
		&o->out->jumps,
		(struct attributed_jump){.function = of->function,
					 .context = of->context,
					 .place = of->place,
					 .discriminator = of->discriminator,
					 .address = insn->address,
					 .target = insn->target,
					 .next = insn->address + insn->length,
					 .taken = taken,
					 .not_taken = of->count > taken ? of->count - taken : 0});
}

/* Does it go on in a part of @f that was split off? Then the call is none of the source's. */
static bool goes_on(const struct attributor *o, const struct notes_function *f,
		    const struct isa_insn *insn)
{
	const char *name = strings_text(o->frames.keys->strings, f->name);
	size_t length = strlen(name);
	const struct binary_function *to = binary_function_at(o->binary, insn->target);

	return to && !strncmp(to->name, name, length) && !strncmp(to->name + length, ".part.", 6);
}

/* A conditional jump to another function: a call as often as it is taken, or its condition. */
static void take_tail_call(const struct attributor *o, const struct notes_function *f,
			   const struct isa_insn *insn, struct attribution *it)
{
	size_t n;

	notes_function_calls(f, it->place.line, it->place.column, &n);
	if (n)
		it->count = times_taken(o, insn);
	else
		it->kind = ATTRIBUTION_CONDITION;
}

/* gcc counts values of the statement, which calls or divides. */
static int add_site(struct attributor *o, const struct attribution *of, const struct isa_insn *insn)
{
	return vector_add(&o->out->sites,
			  (struct attributed_site){.function = of->function,
						   .inner = of->inner,
						   .place = of->place,
						   .discriminator = of->discriminator,
						   .calls = isa_is_call(insn->kind),
						   .indirect = insn->kind == ISA_CALL_INDIRECT ||
							       insn->kind == ISA_JUMP_INDIRECT,
						   .address = insn->address});
}

/* The instruction was made from a statement at @place in scope @at. */
static int add_statement(struct attributor *o, const struct isa_insn *insn, uint32_t at,
			 struct notes_place place, struct attribution *it)
{
	struct attribution_stats *stats = &o->out->stats;
	struct attributed_function *seen;
	const struct notes_function *f;
	uint32_t owner;
	size_t n;

	if (!context_frames_owner(&o->frames, at, place, &owner)) {
		stats->foreign += it->count;
		return 0;
	}
	it->function = o->frames.scopes.items[owner].function;
	it->context = o->frames.scopes.items[owner].context;
	f = &o->frames.keys->functions.items[it->function];
	if (!context_frames_has_dump(f))
		place.column = it->discriminator = 0;
	else if (f->without_columns)
		place.column = 0;
	it->place = place;
	seen = &o->out->functions.items[it->function];
	seen->weight += it->count;
	if (!context_is_symbol(&o->out->contexts, it->context))
		seen->inlined = true;
	notes_function_at(f, place, &n);
	if (!n) {
		uint64_t no_line = notes_function_has_line(f, place) ? 0 : it->count;

		stats->no_key += it->count;
		stats->no_line += no_line;
		seen->no_column += it->count - no_line;
		return 0;
	}
	it->inner = context_frames_inner(&o->frames, owner, at);
	notes_function_at_exactly(f, place, it->discriminator, &n);
	if (!n) {
		stats->no_discriminator += it->count;
		it->discriminator = ATTRIBUTION_NO_DISCRIMINATOR;
	}
	if (notes_function_has_values(f, place) && add_site(o, it, insn))
		return -1;
	it->kind = kind_of(o, insn, &it->operation);
	if (it->kind == ATTRIBUTION_CALL && insn->kind != ISA_CALL_INDIRECT &&
	    goes_on(o, f, insn)) {
		if (insn->kind != ISA_JUMP_CONDITIONAL)
			return 0;
		it->kind = ATTRIBUTION_CONDITION;
	} else if (it->kind == ATTRIBUTION_CALL && insn->kind == ISA_JUMP_CONDITIONAL) {
		take_tail_call(o, f, insn, it);
	}
	if (it->kind == ATTRIBUTION_CONDITION && add_jump(o, it, insn))
		return -1;
	return vector_add(&o->out->items, *it);
}

static uint64_t jumps_to(const struct isa_insn *insn)
{
	if (insn->kind == ISA_JUMP)
		return insn->target;
	if (insn->kind == ISA_JUMP_CONDITIONAL)
		return ATTRIBUTED_SEVERAL;
	return isa_is_branch(insn->kind) && !isa_is_call(insn->kind) ? ATTRIBUTED_ELSEWHERE : 0;
}

static int add_instruction(struct attributor *o, const struct isa_insn *insn, struct attribution it,
			   const struct debuginfo_span *span)
{
	struct attributed_instruction *code = vector_push(&o->out->code);
	uint64_t count = it.count;
	struct notes_place place;

	if (!code)
		return -1;
	*code = (struct attributed_instruction){.address = insn->address,
						.context = CONTEXT_NONE,
						.block = it.block,
						.jumps_to = jumps_to(insn)};
	o->out->stats.weight += count;
	if (!span || span->scope == DEBUGINFO_NONE) {
		o->out->stats.no_debug += count;
		return 0;
	}
	if (span->line <= 0) {
		o->out->stats.line_zero += count;
		return 0;
	}
	place = (struct notes_place){context_frames_file(&o->frames, span->file),
				     (uint32_t)span->line, span->column};
	code->place = place;
	code->context = o->frames.scopes.items[span->scope].context;
	it.discriminator = debuginfo_base_discriminator(&o->frames.info, span->discriminator);
	return add_statement(o, insn, span->scope, place, &it);
}

static int count_arrivals(struct attributor *o)
{
	const struct block_edge *edge;

	o->arrivals.count = 0;
	if (vector_reserve(&o->arrivals, o->blocks->items.count))
		return -1;
	o->arrivals.count = o->blocks->items.count;
	memset(o->arrivals.items, 0, o->arrivals.count * sizeof(*o->arrivals.items));
	vector_each (&o->blocks->edges, edge)
		o->arrivals.items[edge->to]++;
	return 0;
}

/* All instructions of the symbol; spans and instructions both ascend. */
static int add_instructions(struct attributor *o)
{
	const struct code *code = o->blocks->code;
	const struct debuginfo_span *span = o->frames.info.spans.items,
				    *end = span + o->frames.info.spans.count;

	if (count_arrivals(o))
		return -1;
	for (size_t b = 0; b < o->blocks->items.count; b++) {
		const struct block *block = &o->blocks->items.items[b];
		struct attribution it = {
			.block = o->out->blocks++, .copies = 1, .joined = o->arrivals.items[b] > 1};

		for (uint32_t i = block->first; i < block->first + block->count; i++) {
			const struct isa_insn *insn = &code->insns[i];

			while (span < end && span->end <= insn->address)
				span++;
			it.count = o->counts.items[i];
			if (!insn->nop &&
			    add_instruction(o, insn, it,
					    span < end && span->begin <= insn->address ? span
										       : NULL))
				return -1;
		}
	}
	return 0;
}

/* ---- symbols ------------------------------------------------------------------------------- */

static bool is_part(const char *name)
{
	return strstr(name, ".cold") || strstr(name, ".part");
}

/* Its file tells functions of one name apart. */
static uint32_t function_of_symbol(struct attributor *o)
{
	uint32_t file = o->frames.info.scopes.count
				? context_frames_file(&o->frames,
						      o->frames.info.scopes.items[0].file)
				: 0;

	return notes_index_find(o->frames.keys, o->symbol->name, file, o->frames.object);
}

static int add_gotos(struct attributor *o, uint32_t function)
{
	const struct code *code = o->blocks->code;

	for (size_t i = 0; i < code->count; i++) {
		const struct cfg_branch *b;
		size_t count;

		if (code->insns[i].kind != ISA_JUMP_INDIRECT)
			continue;
		b = branches_of(o, &code->insns[i], &count);
		for (size_t k = 0; k < count; k++) {
			if (vector_add(&o->out->gotos, (struct attributed_goto){function, b[k].to,
										b[k].n * o->scale}))
				return -1;
		}
	}
	return 0;
}

/* Entries by pointers: calls, and jumps that are calls. */
static void add_pointed(struct attributor *o)
{
	const struct code *code = o->blocks->code;

	for (size_t i = 0; i < code->count; i++) {
		const struct isa_insn *insn = &code->insns[i];
		const struct cfg_branch *b;
		size_t count;

		if (insn->kind != ISA_CALL_INDIRECT && insn->kind != ISA_JUMP_INDIRECT)
			continue;
		b = branches_of(o, insn, &count);
		for (size_t k = 0; k < count; k++) {
			const struct map_entry *to = map_find(&o->out->symbols, b[k].to, 0);

			if (to && to->n != NOTES_NONE)
				o->out->functions.items[to->n].pointed += b[k].n * o->scale;
		}
	}
}

/* The object that the code at @address was compiled to; NOTES_NONE = not known. */
static uint32_t object_at(const struct attributor *o, uint64_t address)
{
	const struct map_entry *e = map_find(&o->objects,
					     debuginfo_unit_at(o->frames.debug, address), 0);

	return e && e->n != SEVERAL ? (uint32_t)e->n - 1 : NOTES_NONE;
}

/* @ranges are the symbol's. */
static int attribute_symbol(struct attributor *o, struct map_entry *const *ranges, size_t count,
			    struct softlbr_error *e)
{
	const struct code *code;
	uint32_t function;

	o->blocks = block_finder_get(o->finder, o->symbol);
	if (!o->blocks)
		return error_set_nomem(e);
	code = o->blocks->code;
	if (!code->count)
		return 0;
	o->frames.object = object_at(o, o->symbol->begin);
	if (debuginfo_look_up(o->frames.debug, o->symbol->begin, o->symbol->end, &o->frames.info,
			      e))
		return -e->code;
	o->counts.count = 0;
	if (vector_reserve(&o->counts, code->count) || context_frames_find(&o->frames))
		return error_set_nomem(e);
	o->counts.count = code->count;
	instruction_counts_of_ranges(code, ranges, count, o->counts.items);
	for (size_t i = 0; i < code->count; i++)
		o->counts.items[i] *= o->scale;
	function = function_of_symbol(o);
	if (function != NOTES_NONE && strstr(o->symbol->name, ".part."))
		o->out->functions.items[function].split = true;
	if (function != NOTES_NONE && !is_part(o->symbol->name)) {
		struct map_entry *known = map_at(&o->out->symbols, o->symbol->begin, 0);

		if (!known)
			return error_set_nomem(e);
		known->n = function; /* by its file, too */
		o->out->functions.items[function].entries += o->counts.items[0];
	}
	add_pointed(o);
	if (add_instructions(o) ||
	    (function != NOTES_NONE && o->frames.keys->functions.items[function].computed_goto &&
	     add_gotos(o, function)))
		return error_set_nomem(e);
	return 0;
}

/* The length of a symbol's name without .cold. */
static size_t base_length(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold ? (size_t)(cold - name) : strlen(name);
}

static int attribute_named(struct attributor *o, struct map_entry *const *ranges, size_t count,
			   struct softlbr_error *e)
{
	o->frames.symbol = strings_add(o->frames.keys->strings, o->symbol->name,
				       base_length(o->symbol->name));
	if (o->frames.symbol == STRINGS_NONE || !map_at(&o->ran, o->frames.symbol, 0))
		return error_set_nomem(e);
	return attribute_symbol(o, ranges, count, e);
}

static int attribute_symbols(struct attributor *o, struct softlbr_error *e)
{
	struct map_entry **ranges = map_sorted(&o->profile->ranges);
	size_t n = o->profile->ranges.count, length;
	int rc = ranges || !n ? 0 : error_set_nomem(e);

	for (size_t i = 0; i < n && !rc; i += length) {
		o->symbol = binary_function_run(o->binary, ranges + i, n - i, &length);
		if (o->symbol && !map_at(&o->seen, o->symbol->begin, 0))
			rc = error_set_nomem(e);
		if (o->symbol && !rc)
			rc = attribute_named(o, ranges + i, length, e);
	}
	memory_free(ranges);
	return rc;
}

/* Cold parts that did not run, of functions that did: so it is known what did not. */
static int attribute_cold(struct attributor *o, struct softlbr_error *e)
{
	size_t count;
	const struct binary_function *f = binary_functions(o->binary, &count);
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		size_t length = base_length(f[i].name);
		uint32_t base = f[i].name[length]
					? strings_find(o->frames.keys->strings, f[i].name, length)
					: STRINGS_NONE;

		o->symbol = &f[i];
		if (base != STRINGS_NONE && map_find(&o->ran, base, 0) &&
		    !map_find(&o->seen, f[i].begin, 0))
			rc = attribute_named(o, NULL, 0, e);
	}
	return rc;
}

/* The file that a symbol table has for a function that is local to it, behind a slash in its name
 * for BOLT, with a number behind another; 0 = none that the keys have. */
static uint32_t file_of(const struct attributor *o, const struct binary_function *f)
{
	const char *file = f->bolt_name + strlen(f->name), *end = strrchr(f->bolt_name, '/');
	uint32_t number;

	if (f->global || strncmp(f->bolt_name, f->name, strlen(f->name)) || !end || file >= end)
		return 0;
	number = strings_find(o->frames.keys->strings, file + 1, (size_t)(end - file - 1));
	return number == STRINGS_NONE ? 0 : number;
}

/* The object that code of @unit was compiled to, if it has a function that no other object has. */
static uint32_t object_of(struct attributor *o, uint32_t unit, const char *name)
{
	uint32_t file = context_frames_file(&o->frames, debuginfo_unit_file(o->frames.debug, unit));
	uint32_t function = notes_index_find(o->frames.keys, name, file, NOTES_NONE);

	return function == NOTES_NONE ? NOTES_NONE
				      : notes_index_only_object(o->frames.keys, function, file);
}

/* Symbols that were put together at link time belong to several objects. */
static int find_objects(struct attributor *o)
{
	size_t count;
	const struct binary_function *f = binary_functions(o->binary, &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t unit = debuginfo_unit_at(o->frames.debug, f[i].begin), object;
		struct map_entry *e;

		object = unit == DEBUGINFO_NONE ? NOTES_NONE : object_of(o, unit, f[i].name);
		if (object == NOTES_NONE)
			continue;
		e = map_at(&o->objects, unit, 0);
		if (!e)
			return -1;
		e->n = e->n && e->n != (uint64_t)object + 1 ? SEVERAL : (uint64_t)object + 1;
	}
	return 0;
}

/* Mark the functions that have code of their own, though it may not have run. */
static int find_symbols(struct attributor *o)
{
	size_t count;
	const struct binary_function *f = binary_functions(o->binary, &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t function = notes_index_find(o->frames.keys, f[i].name, file_of(o, &f[i]),
						     object_at(o, f[i].begin));
		struct map_entry *e = map_at(&o->out->symbols, f[i].begin, 0);

		if (!e)
			return -1;
		e->n = function;
		if (function != NOTES_NONE)
			o->out->functions.items[function].symbol = true;
	}
	return 0;
}

int attributions_make(struct binary *b, const struct branch_profile *p, uint64_t scale,
		      struct notes_index *keys, struct attributions *out, struct softlbr_error *e)
{
	struct attributor o = {.binary = b,
			       .profile = p,
			       .scale = scale,
			       .out = out,
			       .frames = {.keys = keys, .contexts = &out->contexts}};
	int rc = -1;

	o.frames.debug = debuginfo_open(b, e);
	if (!o.frames.debug)
		return -e->code;
	o.finder = block_finder_new(b, p);
	if (vector_reserve(&out->functions, keys->functions.count + 1)) {
		rc = error_set_nomem(e);
		goto out;
	}
	out->functions.count = keys->functions.count;
	memset(out->functions.items, 0, out->functions.count * sizeof(*out->functions.items));
	if (!o.finder || cfg_branches_init_leaving(&o.branches, p, NULL) || find_objects(&o) ||
	    find_symbols(&o)) {
		rc = error_set_nomem(e);
		goto out;
	}
	rc = attribute_symbols(&o, e) ?: attribute_cold(&o, e);
	if (!rc)
		attributions_sort(out);
out:
	context_frames_deinit(&o.frames);
	debuginfo_close(o.frames.debug);
	block_finder_free(o.finder);
	cfg_branches_deinit(&o.branches);
	vector_deinit(&o.counts);
	vector_deinit(&o.arrivals);
	map_deinit(&o.seen);
	map_deinit(&o.ran);
	map_deinit(&o.objects);
	return rc;
}
