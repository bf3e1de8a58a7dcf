/* SPDX-License-Identifier: MIT */
#include "converter/counters/observations.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "converter/debuginfo/debuginfo.h"
#include "converter/flow/blocks.h"
#include "converter/flow/cfg.h"
#include "converter/flow/instruction_counts.h"
#include "isa/role.h"

#define UNASKED (UINT32_MAX - 1)

/* A scope of the symbol at hand, as what it is to the key index. */
struct scope {
	uint32_t function; /* KEY_NONE = none */
	uint32_t context;
};

struct observer {
	struct binary *binary;
	const struct branch_profile *profile;
	uint64_t scale;
	struct key_index *keys;
	struct observations *out;
	struct debuginfo *debug;
	struct block_finder *finder;
	struct cfg_branches branches;
	VECTOR(uint32_t) files;	    /* debug information's file -> the key index' */
	VECTOR(uint32_t) functions; /* its name -> a function; UNASKED */
	struct map seen, ran;	    /* symbols by address, and by their base's number */

	/* of the symbol at hand */
	const struct binary_function *symbol;
	uint32_t base; /* its name without .cold, a number in the strings of the keys */
	const struct blocks *blocks;
	struct debuginfo_function info;
	VECTOR(struct scope) scopes;
	VECTOR(uint64_t) counts;   /* by instruction */
	VECTOR(uint32_t) arrivals; /* by block: edges that lead there */
};

void observations_deinit(struct observations *o)
{
	contexts_deinit(&o->contexts);
	vector_deinit(&o->items);
	vector_deinit(&o->jumps);
	vector_deinit(&o->code);
	vector_deinit(&o->gotos);
	vector_deinit(&o->functions);
}

/* ---- numbers ------------------------------------------------------------------------------- */

/* The key index' number of a file of the debug information; 0 if it has none. */
static uint32_t file_of(struct observer *o, uint32_t file)
{
	const char *text = strings_text(debuginfo_strings(o->debug), file);

	while (o->files.count <= file) {
		uint32_t *slot = vector_push(&o->files);

		if (!slot)
			return 0;
		*slot = UNASKED;
	}
	if (o->files.items[file] == UNASKED) {
		uint32_t number = strings_find(o->keys->strings, text, strlen(text));

		o->files.items[file] = number == STRINGS_NONE ? 0 : number;
	}
	return o->files.items[file];
}

/* Functions of one name are looked up by their file each time; there are few. */
static uint32_t function_of(struct observer *o, uint32_t name, uint32_t file)
{
	const char *text = strings_text(debuginfo_strings(o->debug), name);

	while (o->functions.count <= name) {
		uint32_t *slot = vector_push(&o->functions);

		if (!slot)
			return KEY_NONE;
		*slot = UNASKED;
	}
	if (o->functions.items[name] == KEY_NONE)
		return KEY_NONE;
	o->functions.items[name] = key_index_find(o->keys, text, file_of(o, file));
	return o->functions.items[name];
}

/* ---- scopes -------------------------------------------------------------------------------- */

/* .gcno alone has lines only. */
static bool has_dump(const struct key_function *f)
{
	return f->graph->blocks.count != 0;
}

static uint32_t call_line(const struct debuginfo_scope *s)
{
	return s->call_line > 0 ? (uint32_t)s->call_line : 0;
}

static uint32_t column(const struct observer *o, uint32_t column)
{
	return o->keys->without_columns ? 0 : column;
}

static int find_scopes(struct observer *o)
{
	const struct debuginfo_scope *s;

	o->scopes.count = 0;
	vector_each (&o->info.scopes, s) {
		struct scope *slot = vector_push(&o->scopes);
		struct context c = {.parent = CONTEXT_NONE, .name = s->name, .caller = KEY_NONE};

		if (!slot)
			return -1;
		slot->function = function_of(o, s->name, s->file);
		if (s->parent != DEBUGINFO_NONE) {
			const struct scope *parent = &o->scopes.items[s->parent];

			c = (struct context){.parent = parent->context,
					     .name = o->info.scopes.items[s->parent].name,
					     .caller = parent->function,
					     .line = s->call_line > 0 ? (uint32_t)s->call_line : 0,
					     .column = s->call_column};
		} else {
			/* clones of one function are instances of their own, cold parts are not */
			c.line = o->base;
			c.column = s->file;
		}
		slot->context = contexts_add(&o->out->contexts, &c);
		if (slot->context == CONTEXT_NONE)
			return -1;
	}
	return 0;
}

static bool has_place(const struct key_function *f, struct key_place at)
{
	size_t n;

	if (!has_dump(f))
		at.column = 0;
	key_function_at(f, at, &n);
	return n != 0;
}

static bool has_call(const struct observer *o, const struct key_function *f,
		     const struct debuginfo_scope *s)
{
	size_t n;

	if (!has_dump(f)) /* .gcno does not tell calls from others */
		return true;
	key_function_calls(f, call_line(s), column(o, s->call_column), &n);
	return n != 0;
}

/* Who counts a statement that scope @at was made from? *owner = its scope; false if nobody. */
static bool find_owner(const struct observer *o, uint32_t at, struct key_place place,
		       uint32_t *owner)
{
	const struct key_function *functions = o->keys->functions.items;

	for (;;) {
		uint32_t up = o->info.scopes.items[at].parent;

		/* frames of functions that gcc does not instrument are passed over */
		while (up != DEBUGINFO_NONE && o->scopes.items[up].function == KEY_NONE)
			up = o->info.scopes.items[up].parent;
		if (up == DEBUGINFO_NONE)
			break;
		if (o->scopes.items[at].function != KEY_NONE) {
			const struct key_function *caller =
				&functions[o->scopes.items[up].function];

			if (!has_place(caller, place) ||
			    has_call(o, caller, &o->info.scopes.items[at]))
				break;
		}
		at = up;
	}
	*owner = at;
	return o->scopes.items[at].function != KEY_NONE;
}

/* The calls between @owner and @at, as contexts.h numbers them. */
static uint32_t inner_of(struct observer *o, uint32_t owner, uint32_t at)
{
	const struct debuginfo_scope *s = &o->info.scopes.items[at];
	struct context_inner one;

	if (at == owner)
		return 0;
	one = (struct context_inner){.outer = inner_of(o, owner, s->parent),
				     .line = call_line(s),
				     .column = column(o, s->call_column)};
	return contexts_add_inner(&o->out->contexts, &one);
}

/* ---- instructions -------------------------------------------------------------------------- */

static bool leaves(const struct observer *o, const struct isa_insn *insn)
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

static uint8_t kind_of(const struct observer *o, const struct isa_insn *insn, uint32_t *operation)
{
	struct isa_role_of role;
	const uint8_t *bytes;
	size_t size;

	*operation = 0;
	if (isa_is_call(insn->kind) || leaves(o, insn))
		return OBSERVATION_CALL;
	if (insn->kind == ISA_JUMP_CONDITIONAL)
		return OBSERVATION_CONDITION;
	if (insn->kind == ISA_JUMP || insn->kind == ISA_JUMP_INDIRECT)
		return OBSERVATION_JUMP;
	bytes = binary_code(o->binary, insn->address, &size);
	if (!bytes)
		return OBSERVATION_COMPUTE;
	role = isa_decoder_find_role(binary_machine(o->binary), bytes,
				     size < insn->length ? size : insn->length);
	if (role.role == ISA_ROLE_SELECT)
		return OBSERVATION_SELECT;
	*operation = role.operation;
	return role.role == ISA_ROLE_STORE     ? OBSERVATION_STORE
	       : role.role == ISA_ROLE_SHUFFLE ? OBSERVATION_SHUFFLE
					       : OBSERVATION_COMPUTE;
}

static uint64_t times_taken(const struct observer *o, const struct isa_insn *insn)
{
	size_t i = cfg_branches_from(&o->branches, insn->address);
	uint64_t sum = 0;

	for (; i < o->branches.by_from.count && o->branches.by_from.items[i].from == insn->address;
	     i++)
		if (o->branches.by_from.items[i].to == insn->target)
			sum += o->branches.by_from.items[i].n;
	return sum * o->scale;
}

static int add_jump(struct observer *o, const struct observation *of, const struct isa_insn *insn)
{
	struct observed_jump *j = vector_push(&o->out->jumps);
	uint64_t taken = times_taken(o, insn);

	if (!j)
		return -1;
	*j = (struct observed_jump){.function = of->function,
				    .context = of->context,
				    .place = of->place,
				    .discriminator = of->discriminator,
				    .target = insn->target,
				    .next = insn->address + insn->length,
				    .taken = taken,
				    .not_taken = of->count > taken ? of->count - taken : 0};
	return 0;
}

/* A conditional jump to another function: a call, as often as it is taken, or the condition of one.
 */
static void take_tail_call(const struct observer *o, const struct key_function *f,
			   const struct isa_insn *insn, struct observation *it)
{
	size_t n;

	key_function_calls(f, it->place.line, it->place.column, &n);
	if (n)
		it->count = times_taken(o, insn);
	else
		it->kind = OBSERVATION_CONDITION;
}

/* Does it go on in a part of @f that was split off? Then the call is none of the source's. */
static bool goes_on(const struct observer *o, const struct key_function *f,
		    const struct isa_insn *insn)
{
	const char *name = strings_text(o->keys->strings, f->name);
	size_t length = strlen(name);
	const struct binary_function *to = binary_function_at(o->binary, insn->target);

	return to && !strncmp(to->name, name, length) && !strncmp(to->name + length, ".part.", 6);
}

/* The instruction was made from a statement at @place in scope @at. */
static int add_statement(struct observer *o, const struct isa_insn *insn, uint32_t at,
			 struct key_place place, struct observation *it)
{
	struct observation_stats *stats = &o->out->stats;
	const struct key_function *f;
	struct observation *slot;
	uint32_t owner;
	size_t n;

	if (!find_owner(o, at, place, &owner)) {
		stats->foreign += it->count;
		return 0;
	}
	it->function = o->scopes.items[owner].function;
	it->context = o->scopes.items[owner].context;
	f = &o->keys->functions.items[it->function];
	if (!has_dump(f))
		place.column = it->discriminator = 0;
	it->place = place;
	if (!context_is_symbol(&o->out->contexts, it->context))
		o->out->functions.items[it->function].inlined = true;
	key_function_at(f, place, &n);
	if (!n) {
		stats->no_key += it->count;
		return 0;
	}
	it->inner = inner_of(o, owner, at);
	key_function_at_exactly(f, place, it->discriminator, &n);
	if (!n) {
		stats->no_discriminator += it->count;
		it->discriminator = OBSERVATION_NO_DISCRIMINATOR;
	}
	it->kind = kind_of(o, insn, &it->operation);
	if (it->kind == OBSERVATION_CALL && insn->kind != ISA_CALL_INDIRECT &&
	    goes_on(o, f, insn)) {
		if (insn->kind != ISA_JUMP_CONDITIONAL)
			return 0;
		it->kind = OBSERVATION_CONDITION;
	} else if (it->kind == OBSERVATION_CALL && insn->kind == ISA_JUMP_CONDITIONAL) {
		take_tail_call(o, f, insn, it);
	}
	if (it->kind == OBSERVATION_CONDITION && add_jump(o, it, insn))
		return -1;
	slot = vector_push(&o->out->items);
	if (!slot)
		return -1;
	*slot = *it;
	return 0;
}

static int add_instruction(struct observer *o, const struct isa_insn *insn, struct observation it,
			   const struct debuginfo_span *span)
{
	struct observed_instruction *code = vector_push(&o->out->code);
	uint64_t count = it.count;
	struct key_place place;

	if (!code)
		return -1;
	*code = (struct observed_instruction){
		.address = insn->address, .context = CONTEXT_NONE, .block = it.block};
	o->out->stats.weight += count;
	if (!span || span->scope == DEBUGINFO_NONE) {
		o->out->stats.no_debug += count;
		return 0;
	}
	if (span->line <= 0) {
		o->out->stats.line_zero += count;
		return 0;
	}
	place = (struct key_place){file_of(o, span->file), (uint32_t)span->line,
				   column(o, span->column)};
	code->place = place;
	code->context = o->scopes.items[span->scope].context;
	it.discriminator = span->discriminator;
	return add_statement(o, insn, span->scope, place, &it);
}

static int count_arrivals(struct observer *o)
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
static int add_instructions(struct observer *o)
{
	const struct code *code = o->blocks->code;
	const struct debuginfo_span *span = o->info.spans.items, *end = span + o->info.spans.count;

	if (count_arrivals(o))
		return -1;
	for (size_t b = 0; b < o->blocks->items.count; b++) {
		const struct block *block = &o->blocks->items.items[b];
		struct observation it = {
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
static uint32_t function_of_symbol(struct observer *o)
{
	uint32_t file = o->info.scopes.count ? file_of(o, o->info.scopes.items[0].file) : 0;

	return key_index_find(o->keys, o->symbol->name, file);
}

static int add_gotos(struct observer *o, uint32_t function)
{
	const struct code *code = o->blocks->code;

	for (size_t i = 0; i < code->count; i++) {
		const struct isa_insn *insn = &code->insns[i];
		size_t at = insn->kind == ISA_JUMP_INDIRECT
				    ? cfg_branches_from(&o->branches, insn->address)
				    : o->branches.by_from.count;

		for (; at < o->branches.by_from.count &&
		       o->branches.by_from.items[at].from == insn->address;
		     at++) {
			struct observed_goto *g = vector_push(&o->out->gotos);

			if (!g)
				return -1;
			*g = (struct observed_goto){function, o->branches.by_from.items[at].to,
						    o->branches.by_from.items[at].n * o->scale};
		}
	}
	return 0;
}

/* @ranges are the symbol's. */
static int observe_symbol(struct observer *o, struct map_entry *const *ranges, size_t count,
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
	if (debuginfo_look_up(o->debug, o->symbol->begin, o->symbol->end, &o->info, e))
		return -e->code;
	o->counts.count = 0;
	if (vector_reserve(&o->counts, code->count) || find_scopes(o))
		return error_set_nomem(e);
	o->counts.count = code->count;
	instruction_counts_of_ranges(code, ranges, count, o->counts.items);
	for (size_t i = 0; i < code->count; i++)
		o->counts.items[i] *= o->scale;
	function = function_of_symbol(o);
	if (function != KEY_NONE && strstr(o->symbol->name, ".part."))
		o->out->functions.items[function].split = true;
	if (function != KEY_NONE && !is_part(o->symbol->name))
		o->out->functions.items[function].entries += o->counts.items[0];
	if (add_instructions(o) ||
	    (function != KEY_NONE && o->keys->functions.items[function].computed_goto &&
	     add_gotos(o, function)))
		return error_set_nomem(e);
	return 0;
}

/* Of a symbol's name what stands before .cold. */
static size_t base_length(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold ? (size_t)(cold - name) : strlen(name);
}

static int observe_named(struct observer *o, struct map_entry *const *ranges, size_t count,
			 struct softlbr_error *e)
{
	o->base = strings_add(o->keys->strings, o->symbol->name, base_length(o->symbol->name));
	if (o->base == STRINGS_NONE || !map_at(&o->ran, o->base, 0))
		return error_set_nomem(e);
	return observe_symbol(o, ranges, count, e);
}

static int observe_symbols(struct observer *o, struct softlbr_error *e)
{
	struct map_entry **ranges = map_sorted(&o->profile->ranges);
	size_t n = o->profile->ranges.count, length;
	int rc = ranges || !n ? 0 : error_set_nomem(e);

	for (size_t i = 0; i < n && !rc; i += length) {
		o->symbol = binary_function_run(o->binary, ranges + i, n - i, &length);
		if (o->symbol && !map_at(&o->seen, o->symbol->begin, 0))
			rc = error_set_nomem(e);
		if (o->symbol && !rc)
			rc = observe_named(o, ranges + i, length, e);
	}
	memory_free(ranges);
	return rc;
}

/* Cold parts that did not run, of functions that did: so it is known what did not. */
static int observe_cold(struct observer *o, struct softlbr_error *e)
{
	size_t count;
	const struct binary_function *f = binary_functions(o->binary, &count);
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i++) {
		size_t length = base_length(f[i].name);
		uint32_t base = f[i].name[length]
					? strings_find(o->keys->strings, f[i].name, length)
					: STRINGS_NONE;

		o->symbol = &f[i];
		if (base != STRINGS_NONE && map_find(&o->ran, base, 0) &&
		    !map_find(&o->seen, f[i].begin, 0))
			rc = observe_named(o, NULL, 0, e);
	}
	return rc;
}

/* Which functions have code of their own, though it may not have run? */
static void find_symbols(struct observer *o)
{
	size_t count;
	const struct binary_function *f = binary_functions(o->binary, &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t function = key_index_find(o->keys, f[i].name, 0);

		if (function != KEY_NONE)
			o->out->functions.items[function].symbol = true;
	}
}

/* ---- order --------------------------------------------------------------------------------- */

#define OR_BY(order, a, b, member) \
	if (!(order))              \
	(order) = order_numbers((a)->member, (b)->member)

static int by_statement(const void *x, const void *y)
{
	const struct observation *a = x, *b = y;
	int order = order_numbers(a->function, b->function);

	OR_BY(order, a, b, context);
	OR_BY(order, a, b, place.file);
	OR_BY(order, a, b, place.line);
	OR_BY(order, a, b, place.column);
	OR_BY(order, a, b, discriminator);
	OR_BY(order, a, b, inner);
	OR_BY(order, a, b, block);
	OR_BY(order, a, b, kind);
	OR_BY(order, a, b, operation);
	return order;
}

static int by_function(const void *x, const void *y)
{
	const struct observed_jump *a = x, *b = y;
	int order = order_numbers(a->function, b->function);

	OR_BY(order, a, b, context);
	OR_BY(order, a, b, next);
	return order;
}

static int by_target(const void *x, const void *y)
{
	const struct observed_goto *a = x, *b = y;
	int order = order_numbers(a->function, b->function);

	OR_BY(order, a, b, target);
	return order;
}

static int by_code_address(const void *x, const void *y)
{
	const struct observed_instruction *a = x, *b = y;

	return order_numbers(a->address, b->address);
}

static void sort(struct observations *o)
{
	size_t kept = 0;

	vector_sort(&o->code, by_code_address);
	vector_sort(&o->items, by_statement);
	for (size_t i = 0; i < o->items.count; i++) {
		struct observation *last = kept ? &o->items.items[kept - 1] : NULL,
				   *one = &o->items.items[i];

		if (last && !by_statement(last, one)) {
			last->copies++;
			last->count = one->count > last->count ? one->count : last->count;
		} else {
			o->items.items[kept++] = *one;
		}
	}
	o->items.count = kept;
	vector_sort(&o->jumps, by_function);
	vector_sort(&o->gotos, by_target);
}

int observations_make(struct binary *b, const struct branch_profile *p, uint64_t scale,
		      struct key_index *keys, struct observations *out, struct softlbr_error *e)
{
	struct observer o = {.binary = b, .profile = p, .scale = scale, .keys = keys, .out = out};
	int rc = -1;

	o.debug = debuginfo_open(b, e);
	if (!o.debug)
		return -e->code;
	o.finder = block_finder_new(b, p);
	if (vector_reserve(&out->functions, keys->functions.count + 1)) {
		rc = error_set_nomem(e);
		goto out;
	}
	out->functions.count = keys->functions.count;
	memset(out->functions.items, 0, out->functions.count * sizeof(*out->functions.items));
	if (!o.finder || cfg_branches_init(&o.branches, p)) {
		rc = error_set_nomem(e);
		goto out;
	}
	find_symbols(&o);
	rc = observe_symbols(&o, e);
	if (!rc)
		rc = observe_cold(&o, e);
	if (!rc)
		sort(out);
out:
	debuginfo_function_deinit(&o.info);
	debuginfo_close(o.debug);
	block_finder_free(o.finder);
	cfg_branches_deinit(&o.branches);
	vector_deinit(&o.files);
	vector_deinit(&o.functions);
	vector_deinit(&o.scopes);
	vector_deinit(&o.counts);
	vector_deinit(&o.arrivals);
	map_deinit(&o.seen);
	map_deinit(&o.ran);
	return rc;
}

const struct observed_instruction *observations_code_at(const struct observations *o,
							uint64_t address, size_t *count)
{
	size_t low = 0, high = o->code.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->code.items[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	while (low + *count < o->code.count &&
	       o->code.items[low + *count].block == o->code.items[low].block)
		++*count;
	return o->code.items + low;
}
