/* SPDX-License-Identifier: MIT */
#include "converter/update/line_map.h"

#include "base/map.h"

/* More differences are not looked for: they are left to the other rules. */
#define DIFFERENCES_MOST 6000
#define GAP_CELLS_MOST	 (UINT64_C(1) << 20)
#define LIKE_LEAST	 0.5
#define ALONE_LEAST	 0.75
#define ALONE_CELLS_MOST (UINT64_C(1) << 27)
#define ALONE_TOKENS	 3 /* a line of fewer may stand anywhere */

/* The lines with tokens of one text: their numbers in the body, and their hashes. */
struct lines {
	const struct function_body *body;
	VECTOR(uint32_t) numbers;
};

/* pairs: by line of @a, the line of @b + 1. */
struct alignment {
	struct lines a, b;
	VECTOR(uint32_t) pairs;
	VECTOR(bool) taken; /* lines of b */
};

static int list_lines(struct lines *l, const struct function_body *body)
{
	l->body = body;
	for (uint32_t i = 0; i < body->lines.count; i++)
		if (body->lines.items[i].hash && vector_add(&l->numbers, i))
			return -1;
	return 0;
}

static const struct body_line *line_at(const struct lines *l, size_t at)
{
	return &l->body->lines.items[l->numbers.items[at]];
}

static bool is_equal(const struct alignment *x, size_t a, size_t b)
{
	return line_at(&x->a, a)->hash == line_at(&x->b, b)->hash;
}

static void pair_lines(struct alignment *x, size_t a, size_t b)
{
	x->pairs.items[a] = (uint32_t)b + 1;
	x->taken.items[b] = true;
}

/* ---- the longest common subsequence --------------------------------------------------------- */

/*
 * Of lines [a0,a1) and [b0,b1). trace[d] has, by diagonal k = -d, -d+2, ..., d, how far in a one
 * gets with d differences.
 */
struct search {
	struct alignment *x;
	size_t a0, b0;
	int64_t n, m;
	VECTOR(int32_t *) trace;
};

static int64_t reach_before(const struct search *s, int64_t d, int64_t k, bool *down)
{
	const int32_t *row;
	int64_t at = (k + d) / 2; /* of diagonal k + 1 in the row of d - 1; k - 1 is one before */

	if (!d) {
		*down = true;
		return 0;
	}
	row = s->trace.items[d - 1];
	*down = k == -d || (k != d && row[at - 1] < row[at]);
	return *down ? row[at] : row[at - 1] + 1;
}

static int64_t slide(const struct search *s, int64_t a, int64_t k)
{
	while (a < s->n && a - k < s->m && a - k >= 0 &&
	       is_equal(s->x, s->a0 + (size_t)a, s->b0 + (size_t)(a - k)))
		a++;
	return a;
}

/* The number of differences; -1 without memory, -2 if they are too many. */
static int64_t find_differences(struct search *s)
{
	for (int64_t d = 0; d <= DIFFERENCES_MOST; d++) {
		int32_t *row = memory_alloc_array((size_t)d + 1, sizeof(*row));
		bool down;

		if (!row || vector_add(&s->trace, row)) {
			memory_free(row);
			return -1;
		}
		for (int64_t k = -d; k <= d; k += 2) {
			int64_t a = slide(s, reach_before(s, d, k, &down), k);

			row[(k + d) / 2] = (int32_t)a;
			if (a >= s->n && a - k >= s->m)
				return d;
		}
	}
	return -2;
}

static void walk_back(const struct search *s, int64_t d)
{
	int64_t a = s->n, k = s->n - s->m;

	for (; d >= 0; d--) {
		bool down;
		int64_t before = reach_before(s, d, k, &down);

		while (a > before) {
			a--;
			pair_lines(s->x, s->a0 + (size_t)a, s->b0 + (size_t)(a - k));
		}
		a = down ? before : before - 1;
		k += down ? 1 : -1;
	}
}

static int pair_common(struct alignment *x)
{
	size_t a1 = x->a.numbers.count, b1 = x->b.numbers.count;
	struct search s = {.x = x};
	int64_t differences;
	int32_t **row;

	while (s.a0 < a1 && s.b0 < b1 && is_equal(x, s.a0, s.b0)) {
		pair_lines(x, s.a0, s.b0);
		s.a0++;
		s.b0++;
	}
	while (a1 > s.a0 && b1 > s.b0 && is_equal(x, a1 - 1, b1 - 1))
		pair_lines(x, --a1, --b1);
	s.n = (int64_t)(a1 - s.a0);
	s.m = (int64_t)(b1 - s.b0);
	differences = find_differences(&s);
	if (differences >= 0)
		walk_back(&s, differences);
	vector_each (&s.trace, row)
		memory_free(*row);
	vector_deinit(&s.trace);
	return differences == -1 ? -1 : 0;
}

/* ---- lines that changed ---------------------------------------------------------------------- */

/* best[i * (m + 1) + j]: the greatest sum of likenesses of the first i and j lines. */
static int pair_gap(struct alignment *x, size_t a0, size_t a1, size_t b0, size_t b1)
{
	size_t n = a1 - a0, m = b1 - b0, width = m + 1;
	float *best;

	if (!n || !m || n * m > GAP_CELLS_MOST)
		return 0;
	best = memory_alloc_array((n + 1) * width, 2 * sizeof(*best));
	if (!best)
		return -1;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			float *at = best + 2 * (i * width + j);
			double like = function_body_line_likeness(
				x->a.body, line_at(&x->a, a0 + i - 1), x->b.body,
				line_at(&x->b, b0 + j - 1));
			float paired = best[2 * ((i - 1) * width + j - 1)] + (float)like;

			at[0] = at[-2] > at[-2 * (ptrdiff_t)width] ? at[-2]
								   : at[-2 * (ptrdiff_t)width];
			at[1] = like >= LIKE_LEAST && paired > at[0];
			if (at[1] > 0)
				at[0] = paired;
		}
	for (size_t i = n, j = m; i && j;) {
		const float *at = best + 2 * (i * width + j);

		if (at[1] > 0)
			pair_lines(x, a0 + --i, b0 + --j);
		else if (at[-2] >= at[0])
			j--;
		else
			i--;
	}
	memory_free(best);
	return 0;
}

/* Between two common lines each. */
static int pair_alike(struct alignment *x)
{
	size_t a0 = 0, b0 = 0;

	for (size_t a = 0; a <= x->a.numbers.count; a++) {
		bool end = a == x->a.numbers.count;
		size_t b = end ? x->b.numbers.count : x->pairs.items[a];

		if (!b && !end)
			continue;
		b -= !end;
		if (pair_gap(x, a0, a, b0, b))
			return -1;
		a0 = a + 1;
		b0 = b + 1;
	}
	return 0;
}

#define SEVERAL UINT64_MAX

/* A line that went elsewhere in the function: it is left alone on both sides. */
static int pair_alone(struct alignment *x)
{
	struct map alone = {0}; /* (hash, 0) -> n, m = number in a, b + 1 */
	struct map_entry *e;

	for (size_t a = 0; a < x->a.numbers.count; a++) {
		if (x->pairs.items[a] || line_at(&x->a, a)->count < ALONE_TOKENS)
			continue;
		e = map_at(&alone, line_at(&x->a, a)->hash, 1);
		if (!e)
			goto out;
		e->n = e->n ? SEVERAL : a + 1;
	}
	for (size_t b = 0; b < x->b.numbers.count; b++) {
		e = x->taken.items[b] ? NULL : map_find(&alone, line_at(&x->b, b)->hash, 1);
		if (e)
			e->m = e->m ? SEVERAL : b + 1;
	}
	map_each (&alone, e)
		if (e->m && e->n != SEVERAL && e->m != SEVERAL)
			pair_lines(x, e->n - 1, e->m - 1);
	map_deinit(&alone);
	return 0;
out:
	map_deinit(&alone);
	return -1;
}

/* The line of @b that is left and most like it, if it is alone in that; 0 if there is none, else
 * its number + 1. */
static size_t find_alike(const struct alignment *x, size_t a)
{
	double best = ALONE_LEAST;
	size_t found = 0;

	for (size_t b = 0; b < x->b.numbers.count; b++) {
		double like = x->taken.items[b]
				      ? 0
				      : function_body_line_likeness(x->a.body, line_at(&x->a, a),
								    x->b.body, line_at(&x->b, b));

		if (like > best)
			found = b + 1;
		else if (like == best)
			found = 0;
		best = like > best ? like : best;
	}
	return found;
}

/* A line that went elsewhere and changed. */
static void pair_alone_alike(struct alignment *x)
{
	if ((uint64_t)x->a.numbers.count * x->b.numbers.count > ALONE_CELLS_MOST)
		return;
	for (size_t a = 0; a < x->a.numbers.count; a++) {
		size_t b = x->pairs.items[a] || line_at(&x->a, a)->count < ALONE_TOKENS
				   ? 0
				   : find_alike(x, a);

		if (b)
			pair_lines(x, a, b - 1);
	}
}

static int align(struct alignment *x, const struct function_body *before,
		 const struct function_body *after)
{
	if (list_lines(&x->a, before) || list_lines(&x->b, after))
		return -1;
	while (x->pairs.count < x->a.numbers.count)
		if (!vector_push(&x->pairs))
			return -1;
	while (x->taken.count < x->b.numbers.count)
		if (!vector_push(&x->taken))
			return -1;
	if (pair_common(x) || pair_alike(x) || pair_alone(x))
		return -1;
	pair_alone_alike(x);
	return 0;
}

int line_map_make(struct line_map *out, const struct function_body *before,
		  const struct function_body *after)
{
	struct alignment x = {0};
	int rc = align(&x, before, after);

	out->first_line = before->first_line;
	while (!rc && out->to.count < before->lines.count)
		if (!vector_push(&out->to))
			rc = -1;
	for (size_t a = 0; !rc && a < x.a.numbers.count; a++)
		if (x.pairs.items[a])
			out->to.items[x.a.numbers.items[a]] =
				after->first_line + x.b.numbers.items[x.pairs.items[a] - 1];
	vector_deinit(&x.a.numbers);
	vector_deinit(&x.b.numbers);
	vector_deinit(&x.pairs);
	vector_deinit(&x.taken);
	return rc;
}

void line_map_deinit(struct line_map *m)
{
	vector_deinit(&m->to);
}

uint32_t line_map_at(const struct line_map *m, uint32_t line)
{
	size_t at = line - m->first_line;

	return line >= m->first_line && at < m->to.count ? m->to.items[at] : 0;
}
