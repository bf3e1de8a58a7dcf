/* SPDX-License-Identifier: MIT */
/* A text of C through the scanner, and each function with the next through the comparison. */
#include <stdint.h>
#include <stdlib.h>

#include "converter/update/line_map.h"

#define LINES_MOST 2000 /* comparing is quadratic in what differs */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare(const struct c_function *f, const struct c_function *g)
{
	struct function_body a = {0}, b = {0};
	struct line_map map = {0};

	if (!function_body_read(&a, f) && !function_body_read(&b, g) &&
	    !line_map_make(&map, &a, &b))
		for (uint32_t line = f->begin_line; line <= f->end_line; line++) {
			uint32_t to = line_map_at(&map, line);

			if (to && (to < g->begin_line || to > g->end_line))
				abort();
		}
	line_map_deinit(&map);
	function_body_deinit(&a);
	function_body_deinit(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct strings *strings = strings_new();
	struct c_functions functions = {0};
	const struct c_function *f;

	if (strings && !c_functions_read(&functions, (struct text){text, text + size}, 0, strings))
		vector_each (&functions.list, f) {
			if (f->end_line < f->begin_line || f->name_line < f->begin_line ||
			    f->name_line > f->end_line)
				abort();
			if (f > functions.list.items && f->end_line - f->begin_line < LINES_MOST)
				compare(f - 1, f);
		}
	c_functions_deinit(&functions);
	strings_free(strings);
	return 0;
}
