/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/block_outputs.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "converter/elf/elf_file.h"
#include "formats/bb_addr_map.h"
#include "formats/propeller.h"

/* Which version of the profile is the newest for a version of clang. */
#define FIRST_CLANG_V1 19

/* ---- the map --------------------------------------------------------------------------------- */

struct map_sections {
	const struct binary *binary;
	struct block_map *map;
	struct bb_addr_map_section section; /* but for the bytes */
	bool found, too_old;
	struct softlbr_error *e;
};

static int take_section(void *context, const char *name, const GElf_Shdr *header,
			struct bytes bytes)
{
	struct map_sections *s = context;

	(void)name;
	s->too_old |= header->sh_type == BB_ADDR_MAP_SECTION_NONE;
	if (header->sh_type != BB_ADDR_MAP_SECTION || !bytes.size)
		return 0;
	s->found = true;
	if (header->sh_flags & SHF_COMPRESSED)
		return error_set(s->e, SOFTLBR_E_INPUT, binary_path(s->binary),
				 "%s: its block address map is compressed: link it without "
				 "--compress-sections",
				 binary_path(s->binary));
	s->section.bytes = bytes;
	return bb_addr_map_read(s->map, &s->section, binary_path(s->binary), s->e);
}

static int read_map(const struct binary *b, struct block_map *map, struct softlbr_error *e)
{
	const struct elf_file *file = binary_elf_file(b);
	bool wide = gelf_getclass(elf_file_elf(file)) == ELFCLASS64;
	struct map_sections s = {.binary = b,
				 .map = map,
				 .section = {{0}, binary_is_big_endian(b), wide ? 8 : 4},
				 .e = e};
	int rc = elf_file_each_section(file, take_section, &s);

	if (rc || s.found)
		return rc;
	return error_set(e, SOFTLBR_E_INPUT, binary_path(b),
			 "%s has no block address map%s: compile it by clang with "
			 "-fbasic-block-address-map, or clang 16 to 18 with "
			 "-fbasic-block-sections=labels, and record that; it must not be stripped",
			 binary_path(b), s.too_old ? " that clang 16 or later made" : "");
}

/* ---- the layout ------------------------------------------------------------------------------ */

/* The oldest clang that compiled a part of the binary, by what compilers leave in .comment; 0 if
 * none did. */
static unsigned oldest_clang(const struct binary *b)
{
	static const char clang[] = "clang version ";
	struct bytes comment;
	unsigned oldest = 0;
	struct cursor at;

	if (!elf_file_section(binary_elf_file(b), ".comment", &comment))
		return 0;
	cursor_init(&at, comment.data, comment.size, false);
	for (const char *text; cursor_left(&at) && (text = cursor_string(&at));) {
		const char *version = strstr(text, clang);
		unsigned long major = version ? strtoul(version + strlen(clang), NULL, 10) : 0;

		if (major && major < 1000 && (!oldest || major < oldest))
			oldest = (unsigned)major;
	}
	return oldest;
}

static enum propeller_form form_of(const struct conversion *c)
{
	unsigned version = c->options.clang ? c->options.clang : oldest_clang(c->binary);

	return version >= FIRST_CLANG_V1 ? PROPELLER_V1 : PROPELLER_V0;
}

int block_outputs_make(struct conversion *c, struct softlbr_error *e)
{
	const struct branch_profile *p = &conversion_counts_of(c, CONVERSION_BOLT)->branches;
	struct block_counts counts = {0};
	struct block_map map = {0};
	int rc = c->has_layout ? 0 : read_map(c->binary, &map, e);

	if (!rc && !c->has_layout) {
		rc = block_counts_make(&counts, c->binary, &map, p)
			     ? error_set_nomem(e)
			     : block_layouts_make(&c->layout, c->binary, &counts,
						  form_of(c) != PROPELLER_V0, &c->layout_stats, e);
		c->has_layout = true;
	}
	block_counts_deinit(&counts);
	block_map_deinit(&map);
	return rc;
}

int block_outputs_blocks_to(const struct conversion *c, FILE *out, struct softlbr_error *e)
{
	return propeller_write_blocks(&c->layout, form_of(c), out, e);
}

int block_outputs_symbols_to(const struct conversion *c, enum profile_order by, FILE *out,
			     struct softlbr_error *e)
{
	const struct function_graph *g = &c->layout.graph;
	uint32_t *order = memory_alloc_array(g->functions.count + 1, sizeof(*order));
	int rc = order ? profile_outputs_order(g, by, order) : -1;

	rc = rc ? error_set_nomem(e) : propeller_write_symbols(&c->layout, order, out, e);
	memory_free(order);
	return rc;
}
