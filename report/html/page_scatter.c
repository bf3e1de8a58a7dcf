/* SPDX-License-Identifier: MIT */
#include "report/html/page_scatter.h"

#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "report/demangle.h"
#include "report/html/page.h"

/* In its own units, of which phones show about as many. DECADES: of shares, down from 1. */
enum { SIDE = 340, LEFT = 66, RIGHT = 26, TOP = 12, BOTTOM = 46, DECADES = 6 };

/* From the left or the bottom; what is less lies on the axis. */
static double along(double share)
{
	double decades = share > 0 ? log10(share) + DECADES : 0;

	return fmax(0, decades) / DECADES * SIDE;
}

static double across(double share)
{
	return LEFT + along(share);
}

static double down(double share)
{
	return TOP + SIDE - along(share);
}

static void put_ticks(FILE *out)
{
	for (int decade = 0; decade <= DECADES; decade += 2) {
		double share = pow(10, decade - DECADES), x = across(share), y = down(share);

		fprintf(out,
			"<path class=\"grid\" d=\"M%.1f,%dV%dM%d,%.1fH%d\"/>"
			"<text class=\"label\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g %%</text>"
			"<text class=\"label\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g %%</text>\n",
			x, TOP, TOP + SIDE, LEFT, y, LEFT + SIDE, x, TOP + SIDE + 17, 100 * share,
			LEFT - 6, y + 4, 100 * share);
	}
}

static void put_axes(FILE *out)
{
	put_ticks(out);
	fprintf(out, "<path class=\"axis\" d=\"M%d,%dV%dH%d\"/>\n", LEFT, TOP, TOP + SIDE,
		LEFT + SIDE);
	fprintf(out, "<path class=\"axis\" stroke-dasharray=\"4\" d=\"M%d,%dL%d,%d\"/>\n", LEFT,
		TOP + SIDE, LEFT + SIDE, TOP);
	fprintf(out,
		"<text class=\"label\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">share in A</text>"
		"<text class=\"label\" x=\"12\" y=\"%d\" text-anchor=\"middle\" "
		"transform=\"rotate(-90 12 %d)\">share in B</text>\n",
		LEFT + SIDE / 2, TOP + SIDE + 38, TOP + SIDE / 2, TOP + SIDE / 2);
}

static void put_point(const struct page_point *p, bool mangled, FILE *out)
{
	char *demangled = mangled ? NULL : demangle_text(p->name);

	fprintf(out, "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>",
		across(p->share[0]), down(p->share[1]));
	page_put_text(out, demangled ? demangled : p->name);
	if (p->from)
		fprintf(out, " %" PRIx64 " to %" PRIx64, p->from, p->to);
	fprintf(out, ": %.4f %%, %.4f %%</title></circle>\n", 100 * p->share[0], 100 * p->share[1]);
	memory_free(demangled);
}

void page_scatter_put(const struct page_point *points, size_t count, bool mangled, FILE *out)
{
	int width = LEFT + SIDE + RIGHT, height = TOP + SIDE + BOTTOM;

	fprintf(out,
		"<figure>\n<figcaption class=\"note\">On the dashed diagonal both sides have the same "
		"share; above it B has more. A point on an axis has less than %g %% of that side, or "
		"nothing. Point at one for its name.</figcaption>\n",
		100 * pow(10, -DECADES));
	fprintf(out,
		"<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
		"aria-label=\"Shares in A against shares in B, logarithmic\">\n",
		width, height, width, height);
	put_axes(out);
	for (size_t i = 0; i < count; i++)
		put_point(&points[i], mangled, out);
	fputs("</svg>\n</figure>\n", out);
}
