/* SPDX-License-Identifier: MIT */
/*
 * What gcc prints of its control-flow graphs when it instruments a file:
 * -fdump-ipa-profile-blocks-lineno-details-asmname. There is no description but gcc's source
 * (tree-cfg.cc: dump_function_to_file; gimple-pretty-print.cc; cfg.cc: dump_edge_info). Dumps of
 * gcc 11 and 12 were read; those of gcc 13 to 16 have the same lines, but for the discriminator,
 * which stands at each statement instead of the block.
 *
 *	;; Function NAME (LINKAGE-NAME, funcdef_no=...)
 *	type name (parameters)
 *	{
 *	;;   basic block 2, loop depth 0, ...
 *	;;   starting at line 3, discriminator 1
 *	  [a.c:3:5] if (x_2 != 0)
 *	;;    succ:       3 [35.0% (guessed)]  ... (TRUE_VALUE,...)
 *	}
 *
 * The print below such a head is of the state before instrumentation. Its blocks are numbered as in
 * the .gcno file. Behind all functions they are printed once more, instrumented, where the
 * counters of values are seen (gcc_dump_parts.h).
 */
#include "converter/gcc/files/gcc_graph.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/order.h"
#include "converter/gcc/files/gcc_dump_parts.h"
#include "converter/gcc/files/gcc_records.h"

#define ENTRY 0u
#define EXIT  1u
/* gcc's own counts have 61 bits. */
#define GUESS_MOST (UINT64_C(1) << 60)

/* Between functions; behind a function's head, which its variables may follow; in its blocks. */
enum stage { OUTSIDE, HEAD, BODY };

struct reader {
	struct text rest;
	uint64_t line;
	struct gcc_graph *g;
	struct map functions; /* name -> index */

	enum stage stage;
	struct gcc_function *f;
	const char *body; /* where the print of @f begins */
	uint32_t block;	  /* 0: none yet */
	uint32_t printed; /* blocks */
	bool in_edges, in_asm;
	/* each (from, to) that the .gcno file should have, too */
	VECTOR(struct gcc_arc) edges;
	struct gcc_dump_values values;
	struct gcc_dump_loops loops; /* of @f */
	char why[160];		     /* the first function was refused */
};

static int begin_map(struct reader *r)
{
	for (size_t i = 0; i < r->g->functions.count; i++) {
		struct map_entry *m = map_at(&r->functions, r->g->functions.items[i].name, 0);

		if (!m)
			return -1;
		m->n = i;
	}
	return 0;
}

static void empty(struct gcc_function *f)
{
	vector_deinit(&f->blocks);
	vector_deinit(&f->statements);
	vector_deinit(&f->calls);
	vector_deinit(&f->guesses);
	vector_deinit(&f->loops);
	vector_deinit(&f->values);
}

/* The function is left as without a dump. */
static void dump_refuse(struct reader *r, const char *why)
{
	if (!r->why[0])
		snprintf(r->why, sizeof(r->why), "line %llu, in %.60s: %s",
			 (unsigned long long)r->line, strings_text(r->g->strings, r->f->name), why);
	empty(r->f);
	r->stage = OUTSIDE;
}

/* ---- a function's head -------------------------------------------------------------------- */

/* The linkage name in ";; Function NAME (LINKAGE-NAME, funcdef_no=...": NAME may hold anything. */
static struct gcc_function *find_function(const struct reader *r, struct text l)
{
	const char *behind = NULL, *name, *begin = l.at;
	const struct map_entry *m;
	uint32_t number;

	for (; (l.at = text_find(l, ", funcdef_no=")); l.at++)
		behind = l.at;
	name = behind ? memrchr(begin, '(', (size_t)(behind - begin)) : NULL;
	if (!name)
		return NULL;
	name++;
	number = strings_find(r->g->strings, name, (size_t)(behind - name));
	m = number == STRINGS_NONE ? NULL : map_find(&r->functions, number, 0);
	return m ? &r->g->functions.items[m->n] : NULL;
}

static int begin_function(struct reader *r, struct text l)
{
	if (r->stage == BODY)
		dump_refuse(r, "its print does not end");
	r->stage = OUTSIDE;
	r->f = find_function(r, l);
	/* a function of only entry and exit has no blocks to print */
	if (!r->f || r->f->blocks.count || r->f->block_count < 2)
		return 0;
	r->stage = HEAD;
	return 0;
}

static int begin_body(struct reader *r)
{
	struct gcc_function *f = r->f;

	if (f->block_count > text_length(r->rest)) {
		dump_refuse(r, "fewer lines than blocks");
		return 0;
	}
	if (vector_reserve(&f->blocks, f->block_count))
		return -1;
	memset(f->blocks.items, 0, f->block_count * sizeof(*f->blocks.items));
	f->blocks.count = f->block_count;
	r->stage = BODY;
	r->body = r->rest.at;
	r->block = r->printed = 0;
	r->in_edges = r->in_asm = false;
	r->edges.count = 0;
	gcc_dump_loops_begin(&r->loops);
	return 0;
}

/* ---- the lines that begin with ;; --------------------------------------------------------- */

/* Each block is printed once: gcc writes them in the order of their numbers. */
static void begin_block(struct reader *r, struct text l)
{
	uint32_t block;

	r->in_edges = false;
	if (!gimple_line_number(&l, &block) || block <= EXIT || block >= r->f->block_count) {
		dump_refuse(r, "a block that the .gcno file does not have");
		return;
	}
	if (block <= r->block) {
		dump_refuse(r, "blocks in another order than that of their numbers");
		return;
	}
	r->block = block;
	r->printed++;
}

/* The flags of an edge are the words in capitals between parentheses: does one begin with @flag? */
static bool has_flag(struct text l, const char *flag)
{
	for (; (l.at = memchr(l.at, '(', text_length(l))); l.at++) {
		const char *a = l.at + 1;

		while (a < l.end && ((*a >= 'A' && *a <= 'Z') || *a == '_' || *a == ','))
			a++;
		if (a == l.end || *a != ')' || a == l.at + 1)
			continue;
		for (const char *word = l.at; word < a; word++)
			if ((*word == '(' || *word == ',') &&
			    text_begins((struct text){word + 1, a}, flag))
				return true;
		return false;
	}
	return false;
}

/* "[35.0% (guessed)]", "[always]", "[never (guessed)]", in tenths of a percent; false where gcc has
 * no idea. */
static bool probability(struct text l, uint32_t *per_mille)
{
	uint32_t whole, tenths = 0;

	text_skip(&l, " ");
	*per_mille = text_begins(l, "[always") ? 1000 : 0;
	if (*per_mille || text_begins(l, "[never"))
		return true;
	if (!text_take(&l, "[") || !gimple_line_number(&l, &whole))
		return false;
	if (text_take(&l, ".") && (!gimple_line_number(&l, &tenths) || tenths > 9))
		return false;
	*per_mille = whole * 10 + tenths;
	return text_begins(l, "%") && whole <= 100;
}

/* "count:1804253 (estimated locally)"; 0 where gcc has no idea. */
static uint64_t guessed_count(struct text l)
{
	static const char word[] = "count:";
	const char *at = text_find(l, word);
	uint64_t count = 0;

	if (!at)
		return 0;
	for (at += sizeof(word) - 1; at < l.end && *at >= '0' && *at <= '9'; at++) {
		if (count > GUESS_MOST)
			return 0;
		count = count * 10 + (uint64_t)(*at - '0');
	}
	return count;
}

/* An edge from the block to what @at names. Those to handlers of computed gotos, of setjmp and the
 * like are abnormal: gcc puts fake ones in their place into the .gcno file. */
static int read_edge(struct reader *r, struct text l)
{
	struct gcc_guess guess = {.from = r->block};

	text_skip(&l, " ");
	if (!text_length(l))
		return 0;
	if (text_take(&l, "EXIT")) {
		guess.to = EXIT;
	} else if (!gimple_line_number(&l, &guess.to) || guess.to <= EXIT ||
		   guess.to >= r->f->block_count) {
		dump_refuse(r, "an edge to a block that the .gcno file does not have");
		return 0;
	}
	if (has_flag(l, "FAKE") || (guess.to != EXIT && has_flag(l, "ABNORMAL")))
		return 0;
	if (vector_add(&r->edges, (struct gcc_arc){.from = guess.from, .to = guess.to}))
		return -1;
	guess.edge = has_flag(l, "TRUE_VALUE")	  ? GCC_EDGE_TRUE
		     : has_flag(l, "FALSE_VALUE") ? GCC_EDGE_FALSE
						  : GCC_EDGE_ALWAYS;
	if (guess.edge == GCC_EDGE_TRUE)
		gcc_dump_loops_note_edge(&r->loops, r->block, guess.to);
	guess.count = guessed_count(l);
	if (!probability(l, &guess.per_mille))
		return 0;
	return vector_add(&r->f->guesses, guess);
}

static void read_discriminator(struct reader *r, struct text l)
{
	uint32_t discriminator;

	l.at = text_find(l, ", discriminator ");
	if (l.at && text_take(&l, ", discriminator ") && gimple_line_number(&l, &discriminator))
		r->f->blocks.items[r->block].discriminator = discriminator;
}

static int read_remark(struct reader *r, struct text l)
{
	l.at += 2;
	text_skip(&l, " ");
	if (text_take(&l, "basic block ")) {
		begin_block(r, l);
		return 0;
	}
	if (!r->block)
		return 0;
	if (text_begins(l, "pred:") || text_begins(l, "prev block ")) {
		r->in_edges = false;
		return 0;
	}
	if (text_take(&l, "succ:"))
		r->in_edges = true;
	if (r->in_edges)
		return read_edge(r, l);
	if (text_begins(l, "starting at line ") || text_begins(l, ", discriminator "))
		read_discriminator(r, l);
	return 0;
}

/* ---- statements --------------------------------------------------------------------------- */

static int add_place(struct reader *r, const struct gimple_place *from, struct gcc_place *to)
{
	to->file = strings_add(r->g->strings, from->file.at, text_length(from->file));
	to->line = from->line;
	to->column = from->column;
	return to->file == STRINGS_NONE ? -1 : 0;
}

static int add_call(struct reader *r, const struct gimple_line *l, struct gcc_place at)
{
	struct gcc_call c = {.block = r->block, .at = at};

	if (text_length(l->callee))
		c.callee = strings_add(r->g->strings, l->callee.at, text_length(l->callee));
	return c.callee == STRINGS_NONE ? -1 : vector_add(&r->f->calls, c);
}

static int read_statement(struct reader *r, struct text line)
{
	struct gcc_block *b = &r->f->blocks.items[r->block];
	struct gcc_place place = {0};
	struct gimple_line l;

	r->in_edges = false;
	if (!gimple_line_parse(&l, line))
		return gcc_dump_loops_note_phi(&r->loops, r->block, line);
	r->in_asm = l.open;
	b->computed_goto |= l.computed_goto;
	if (l.has_place) {
		if (add_place(r, &l.place, &place) ||
		    vector_add(&r->f->statements,
			       (struct gcc_statement){.block = r->block, .at = place}))
			return -1;
		if (!b->discriminator)
			b->discriminator = l.place.discriminator;
	}
	if (l.condition)
		b->condition = place;
	if (gcc_dump_values_may_count(&l) &&
	    gcc_dump_values_note(&r->values, (size_t)(r->f - r->g->functions.items), r->block, &l,
				 place))
		return -1;
	if (gcc_dump_loops_note(&r->loops, r->block, &l))
		return -1;
	return l.call ? add_call(r, &l, place) : 0;
}

/* ---- a function's end --------------------------------------------------------------------- */

/* "name_3" is a pointer if the function assigns to it: what else is called so is a function. */
static void find_pointers(const struct reader *r)
{
	const struct text body = {r->body, r->rest.at};
	struct gcc_call *c;
	char assigned[256];

	vector_each (&r->f->calls, c) {
		const char *name = strings_text(r->g->strings, c->callee);

		if (!gimple_line_may_be_ssa((struct text){name, name + strlen(name)}))
			continue;
		snprintf(assigned, sizeof(assigned), " %.240s = ", name);
		if (text_find(body, assigned))
			c->callee = 0;
	}
}

ORDER_BY(by_ends, struct gcc_arc, ORDER_UP(from) ?: ORDER_UP(to));

/* Are the dump's edges the .gcno file's? Entry and exit are not printed. -1 without memory. */
static int check_edges(struct reader *r)
{
	VECTOR(struct gcc_arc) arcs = {0};
	const struct gcc_arc *a;
	int agree = 1;

	vector_each (&r->f->arcs, a) {
		if (a->from == ENTRY || a->flags & GCC_ARC_FAKE)
			continue;
		if (vector_add(&arcs, *a)) {
			vector_deinit(&arcs);
			return -1;
		}
	}
	vector_sort(&arcs, by_ends);
	vector_sort(&r->edges, by_ends);
	if (arcs.count != r->edges.count)
		agree = 0;
	for (size_t i = 0; agree && i < arcs.count; i++)
		agree = !by_ends(&arcs.items[i], &r->edges.items[i]);
	vector_deinit(&arcs);
	return agree;
}

static int end_function(struct reader *r)
{
	int agree = check_edges(r);

	r->stage = OUTSIDE;
	if (agree < 0)
		return -1;
	if (r->printed != r->f->block_count - 2)
		dump_refuse(r, "the .gcno file has more blocks");
	else if (!agree)
		dump_refuse(r, "the .gcno file has other edges");
	else if (gcc_dump_loops_end(&r->loops, r->f))
		return -1;
	else
		find_pointers(r);
	vector_fit(&r->f->blocks);
	vector_fit(&r->f->statements);
	vector_fit(&r->f->calls);
	vector_fit(&r->f->guesses);
	vector_fit(&r->f->loops);
	return 0;
}

/* ---- lines -------------------------------------------------------------------------------- */

static int read_body(struct reader *r, struct text l)
{
	if (r->in_asm) {
		r->in_asm = text_length(l) < 2 || memcmp(l.end - 2, ");", 2);
		return 0;
	}
	if (text_length(l) == 1 && *l.at == '}')
		return end_function(r);
	if (text_begins(l, ";;"))
		return read_remark(r, l);
	return r->block ? read_statement(r, l) : 0;
}

static int read_line(struct reader *r, struct text l)
{
	if (text_take(&l, ";; Function "))
		return begin_function(r, l);
	if (r->stage == BODY)
		return read_body(r, l);
	if (r->stage == OUTSIDE)
		return gcc_dump_values_read(&r->values, r->g, &r->functions, l);
	return text_length(l) == 1 && *l.at == '{' ? begin_body(r) : 0;
}

static bool is_read(const struct gcc_graph *g)
{
	const struct gcc_function *f;

	vector_each (&g->functions, f)
		if (f->blocks.count)
			return true;
	return !g->functions.count;
}

int gcc_dump_read_bytes(const uint8_t *data, size_t size, const char *name, struct gcc_graph *g,
			struct softlbr_error *e)
{
	struct reader r = {.rest = {(const char *)data, (const char *)data + size}, .g = g};
	struct text line;
	int rc = begin_map(&r);

	while (!rc && text_take_line(&r.rest, &line)) {
		r.line++;
		rc = read_line(&r, line);
	}
	if (r.stage == BODY)
		dump_refuse(&r, "its print does not end");
	gcc_dump_values_end(&r.values, g);
	map_deinit(&r.functions);
	vector_deinit(&r.edges);
	gcc_dump_values_deinit(&r.values);
	gcc_dump_loops_deinit(&r.loops);
	if (rc)
		return error_set_nomem(e);
	if (is_read(g))
		return 0;
	return error_set_at(
		e, SOFTLBR_E_INPUT, name, r.line,
		"%s is not what gcc %u prints for "
		"-fdump-ipa-profile-blocks-lineno-details-asmname beside the .gcno file: %s",
		name, gcc_records_compiler(g->version),
		r.why[0] ? r.why : "none of its functions is in it");
}
