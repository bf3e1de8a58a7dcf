/* SPDX-License-Identifier: MIT */
#include "report/html/page_flame.h"

#include <inttypes.h>

#include "report/html/page.h"
#include "report/html/page_data.h"

#define SHARE_LEAST 4000
#define DEPTH_MOST  200

static uint64_t least_total(const struct call_tree *t)
{
	return t->nodes.items[CALL_TREE_TOP].total / SHARE_LEAST;
}

/* The next node in pre-order that is drawn, or CALL_TREE_NONE. Children come by falling total, so
 * behind one that is too small all are. */
static size_t next_of(const struct call_tree *t, size_t node, unsigned *depth)
{
	const uint64_t least = least_total(t);
	size_t next = t->nodes.items[node].first_child;

	if (next != CALL_TREE_NONE && t->nodes.items[next].total > least && *depth < DEPTH_MOST) {
		++*depth;
		return next;
	}
	for (; node != CALL_TREE_TOP; node = t->nodes.items[node].parent, --*depth) {
		next = t->nodes.items[node].next_sibling;
		if (next != CALL_TREE_NONE && t->nodes.items[next].total > least)
			return next;
	}
	return CALL_TREE_NONE;
}

/* Number 0 is what is above all roots. */
static void put_names(const struct call_tree *t, FILE *out)
{
	const struct call_frame *frame;

	page_data_put_text("all", out);
	vector_each (&t->frames, frame) {
		fputs(",\n", out);
		page_data_put_text(strings_text(t->strings, frame->shown), out);
	}
}

static void put_frames(const struct call_tree *t, FILE *out)
{
	unsigned depth = 0;

	for (size_t i = CALL_TREE_TOP; i != CALL_TREE_NONE; i = next_of(t, i, &depth))
		fprintf(out, "%s%" PRIu32 ",%u,%" PRIu64 ",%" PRIu64, i ? ",\n" : "",
			i ? t->nodes.items[i].frame + 1 : 0, depth, t->nodes.items[i].total,
			t->nodes.items[i].self);
}

void page_flame_put(const struct call_tree *t, FILE *out)
{
	fputs("<script type=\"application/json\" id=\"data-flame\">{\"unit\":", out);
	page_data_put_text(t->unit, out);
	fputs(",\"names\":[", out);
	put_names(t, out);
	fputs("],\"frames\":[", out);
	put_frames(t, out);
	fputs("]}</script>\n", out);
	page_begin_section(out, PAGE_FLAME_ID, PAGE_FLAME_TITLE);
	fputs("<p class=\"note\">A frame is as wide as what was done in it and in what it calls; it "
	      "is below its caller. Click at one, or press Enter, to see it at full width; the arrow "
	      "keys go to its neighbours, Escape back.</p>\n"
	      "<noscript><p>The flame graph is drawn by JavaScript, which is switched off "
	      "here.</p></noscript>\n",
	      out);
	page_end_section(out);
}
