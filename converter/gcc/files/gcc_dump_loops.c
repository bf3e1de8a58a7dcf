/* SPDX-License-Identifier: MIT */
/*
 * Loops that run the same number of times whenever they are entered, in gcc's dumps
 * (gcc_dump.c): a variable that begins with a constant, has a constant added
 * and is compared with one, which alone ends the loop. In code they may be unrolled or be one
 * vector instruction, and how often that runs does not say how often gcc's loop would.
 *
 *	  # i_1 = PHI <0(2), i_5(3)>
 *	  [a.c:3:5] if (i_1 != 4)
 *	...
 *	  [a.c:3:9] i_5 = i_1 + 1;
 */
#include "converter/gcc/files/gcc_dump_parts.h"

#include <string.h>

#include "base/memory.h"
#include "base/order.h"

/* Loops that run more often are none of those that code is made without. */
#define TIMES_MOST 1024

void gcc_dump_loops_deinit(struct gcc_dump_loops *l)
{
	vector_deinit(&l->phis);
	vector_deinit(&l->steps);
	vector_deinit(&l->tests);
}

void gcc_dump_loops_begin(struct gcc_dump_loops *l)
{
	l->phis.count = l->steps.count = l->tests.count = 0;
}

static bool is_integer(struct text t)
{
	int64_t ignored;

	return gimple_line_integer(t, &ignored);
}

static int dump_loops_compare(struct text a, struct text b)
{
	return order_numbers(text_length(a), text_length(b)) ?: memcmp(a.at, b.at, text_length(a));
}

static bool is_same(struct text a, struct text b)
{
	return !dump_loops_compare(a, b);
}

static bool is_operation(struct text t, const char *word)
{
	return text_length(t) == strlen(word) && text_begins(t, word);
}

int gcc_dump_loops_note_phi(struct gcc_dump_loops *l, uint32_t block, struct text line)
{
	struct gcc_dump_phi found = {.block = block};

	if (!gimple_line_parse_phi(&found.phi, line) ||
	    is_integer(found.phi.values[0]) == is_integer(found.phi.values[1]))
		return 0;
	return vector_add(&l->phis, found);
}

int gcc_dump_loops_note(struct gcc_dump_loops *l, uint32_t block, const struct gimple_line *line)
{
	struct gimple_operation o;

	if (!gimple_line_parse_operation(&o, line->text) || !is_integer(o.right))
		return 0;
	if (line->condition)
		return vector_add(&l->tests, (struct gcc_dump_test){.test = o, .block = block});
	if (is_operation(o.operation, "+") || is_operation(o.operation, "-"))
		return vector_add(&l->steps, o);
	return 0;
}

void gcc_dump_loops_note_edge(struct gcc_dump_loops *l, uint32_t block, uint32_t to)
{
	struct gcc_dump_test *last = l->tests.count ? &l->tests.items[l->tests.count - 1] : NULL;

	if (last && last->block == block)
		last->holds = to;
}

static bool holds(int64_t left, struct text operation, int64_t right)
{
	return is_operation(operation, "!=")   ? left != right
	       : is_operation(operation, "==") ? left == right
	       : is_operation(operation, "<")  ? left < right
	       : is_operation(operation, "<=") ? left <= right
	       : is_operation(operation, ">")  ? left > right
					       : left >= right;
}

/* How often the loop goes on, if it begins with @value and does while the condition is @goes_on; 0
 * = too often. */
static uint32_t count_times(int64_t value, int64_t step, const struct gimple_operation *test,
			    bool goes_on)
{
	int64_t with = 0;
	uint32_t times = 0;

	if (!gimple_line_integer(test->right, &with))
		return 0;
	for (; times <= TIMES_MOST && holds(value, test->operation, with) == goes_on; times++)
		value = (int64_t)((uint64_t)value + (uint64_t)step);
	return times <= TIMES_MOST ? times : 0;
}

static int by_result(const void *x, const void *y)
{
	return dump_loops_compare(((const struct gimple_operation *)x)->result,
				  ((const struct gimple_operation *)y)->result);
}

static int by_name(const void *x, const void *y)
{
	return dump_loops_compare(((const struct gcc_dump_phi *)x)->phi.name,
				  ((const struct gcc_dump_phi *)y)->phi.name);
}

static const struct gimple_operation *find_step(const struct gcc_dump_loops *l, struct text result)
{
	const struct gimple_operation *step;
	size_t at = vector_count_while(&l->steps, step,
				       dump_loops_compare(step->result, result) < 0);

	return at < l->steps.count && is_same(l->steps.items[at].result, result)
		       ? &l->steps.items[at]
		       : NULL;
}

static const struct gcc_dump_phi *find_phi(const struct gcc_dump_loops *l, struct text name)
{
	const struct gcc_dump_phi *p;
	size_t at = vector_count_while(&l->phis, p, dump_loops_compare(p->phi.name, name) < 0);

	return at < l->phis.count && is_same(l->phis.items[at].phi.name, name) ? &l->phis.items[at]
									       : NULL;
}

/* Marks the blocks of the loop that begins at @head and comes back from @latch. */
static void mark(const struct gcc_function *f, uint32_t head, uint32_t latch, bool *inside)
{
	const struct gcc_arc *a;
	bool more = true;

	memset(inside, 0, f->block_count * sizeof(*inside));
	inside[head] = inside[latch] = true;
	while (more) {
		more = false;
		vector_each (&f->arcs, a)
			if (!(a->flags & GCC_ARC_FAKE) && a->to != head && inside[a->to] &&
			    !inside[a->from])
				inside[a->from] = more = true;
	}
}

/* The blocks that the condition of @from leads to, inside and outside: false if the loop is left or
 * entered elsewhere, too. */
static bool find_ways(const struct gcc_function *f, uint32_t from, uint32_t head,
		      const bool *inside, struct gcc_loop *loop)
{
	const struct gcc_arc *a;
	unsigned out = 0, back = 0;

	if (inside[0] || !inside[from])
		return false;
	vector_each (&f->arcs, a) {
		if (a->flags & GCC_ARC_FAKE)
			continue;
		if ((!inside[a->from] && inside[a->to] && a->to != head) ||
		    (inside[a->from] && !inside[a->to] && a->from != from))
			return false;
		if (a->from != from)
			continue;
		if (inside[a->to]) {
			loop->to = a->to;
			back++;
		} else {
			loop->exit = a->to;
			out++;
		}
	}
	return out == 1 && back == 1;
}

/* The loop that @test ends, if it is one. 0, or -1 without memory. */
static int add_loop(const struct gcc_dump_loops *l, struct gcc_function *f,
		    const struct gcc_dump_test *test, bool *inside)
{
	const struct gimple_operation *step = find_step(l, test->test.left);
	const struct gcc_dump_phi *p = find_phi(l, step ? step->left : test->test.left);
	struct gcc_loop loop = {.from = test->block};
	int64_t first = 0, by = 0;
	bool after = step;
	size_t constant;
	uint32_t latch;

	if (!p || !test->holds)
		return 0;
	constant = is_integer(p->phi.values[1]);
	latch = p->phi.blocks[!constant];
	step = find_step(l, p->phi.values[!constant]);
	if (!step || !is_same(step->left, p->phi.name) || latch >= f->block_count ||
	    (after && !is_same(test->test.left, step->result)) ||
	    !gimple_line_integer(step->right, &by) ||
	    !gimple_line_integer(p->phi.values[constant], &first))
		return 0;
	by = is_operation(step->operation, "-") ? (int64_t)(0 - (uint64_t)by) : by;
	mark(f, p->block, latch, inside);
	if (!by || !find_ways(f, test->block, p->block, inside, &loop))
		return 0;
	loop.times = count_times(after ? (int64_t)((uint64_t)first + (uint64_t)by) : first, by,
				 &test->test, test->holds == loop.to);
	if (!loop.times)
		return 0;
	return vector_add(&f->loops, loop);
}

int gcc_dump_loops_end(struct gcc_dump_loops *l, struct gcc_function *f)
{
	bool *inside = memory_alloc_array(f->block_count + 1u, sizeof(*inside));
	const struct gcc_dump_test *test;
	int rc = inside ? 0 : -1;

	vector_sort(&l->steps, by_result);
	vector_sort(&l->phis, by_name);
	vector_each (&l->tests, test)
		if (!rc)
			rc = add_loop(l, f, test, inside);
	memory_free(inside);
	return rc;
}
