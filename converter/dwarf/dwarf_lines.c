/* SPDX-License-Identifier: MIT */
/*
 * Line tables of DWARF 2 to 5 (DWARF 5, 6.2). Ours rather than libdw's, since 0.188 keeps 24 bits
 * of a discriminator and drops a unit's whole table for a wider one (LLVM makes such of a base and
 * a duplication factor above 31), and keeps nothing of a table that is damaged at its end.
 */
/* Only base names of the file table are kept. */
#include "converter/dwarf/dwarf.h"

#include <dwarf.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/order.h"

struct program {
	const struct dwarf_file *file;
	struct cursor c; /* ends with the table */
	struct dwarf_lines *out;
	uint16_t version;
	uint8_t offset_size, address_size;
	uint8_t least_bytes, most_operations, line_range, opcode_base;
	int8_t line_base;
	uint8_t operands[256]; /* by standard opcode */
	size_t sequence;       /* first row of the open one */
	bool ordered;	       /* rows ascend so far */

	/* the machine's registers */
	uint64_t address, operation;
	uint64_t row_file, line, column, discriminator;
};

static int push_file(struct dwarf_lines *l, const char *path)
{
	return vector_add(&l->files, path ? file_base_name(path) : "");
}

/* Directories and files of DWARF 2 to 4. */
static int read_old_tables(struct program *p)
{
	const char *name;

	while ((name = cursor_string(&p->c)) && *name)
		;
	if (push_file(p->out, "")) /* there is no number 0 */
		return -1;
	while ((name = cursor_string(&p->c)) && *name) {
		cursor_uleb128(&p->c); /* directory, time, size */
		cursor_uleb128(&p->c);
		cursor_uleb128(&p->c);
		if (push_file(p->out, name))
			return -1;
	}
	return 0;
}

struct column {
	uint64_t content, form;
};

static const char *read_columns(struct program *p, const struct column *columns, unsigned count)
{
	const char *path = NULL;

	for (unsigned i = 0; i < count; i++) {
		if (columns[i].content == DW_LNCT_path)
			path = dwarf_form_string(&p->c, p->file, columns[i].form, p->offset_size);
		else
			p->c.failed |= !dwarf_form_skip(&p->c, columns[i].form, p->offset_size);
		if (p->c.failed)
			return NULL;
	}
	return path;
}

/* A table of DWARF 5: directories, then files. */
static int read_table(struct program *p, bool files)
{
	struct column columns[256];
	unsigned count = cursor_u8(&p->c);
	uint64_t rows;

	for (unsigned i = 0; i < count; i++) {
		columns[i].content = cursor_uleb128(&p->c);
		columns[i].form = cursor_uleb128(&p->c);
	}
	rows = cursor_uleb128(&p->c);
	for (uint64_t i = 0; i < rows && !p->c.failed; i++) {
		size_t before = p->c.at;
		const char *path = read_columns(p, columns, count);

		if (p->c.at == before) /* rows of no bytes: there could be 2^64 */
			p->c.failed = true;
		if (files && !p->c.failed && push_file(p->out, path))
			return -1;
	}
	return 0;
}

/* -1 without memory; what is damaged sets p->c.failed. */
static int read_header(struct program *p, uint64_t offset)
{
	uint64_t length, header;
	size_t start;
	int rc;

	p->c = dwarf_form_cursor(&p->file->sections, DWARF_LINE, offset);
	length = dwarf_form_length(&p->c, &p->offset_size);
	if (p->c.failed || !length) {
		p->c.failed = true;
		return 0;
	}
	p->c.size = p->c.at + (size_t)length;
	p->version = cursor_u16(&p->c);
	if (p->version < 2 || p->version > 5)
		p->c.failed = true;
	if (p->version == 5) {
		p->address_size = cursor_u8(&p->c);
		cursor_u8(&p->c); /* bytes of a segment selector */
	}
	header = dwarf_form_offset(&p->c, p->offset_size);
	start = p->c.at;
	if (header > cursor_left(&p->c))
		p->c.failed = true;
	p->least_bytes = cursor_u8(&p->c);
	p->most_operations = p->version >= 4 ? cursor_u8(&p->c) : 1;
	cursor_u8(&p->c); /* is_stmt of a row at first */
	p->line_base = (int8_t)cursor_u8(&p->c);
	p->line_range = cursor_u8(&p->c);
	p->opcode_base = cursor_u8(&p->c);
	for (unsigned i = 1; i < p->opcode_base; i++)
		p->operands[i] = cursor_u8(&p->c);
	if (p->c.failed)
		return 0;
	rc = p->version == 5 ? read_table(p, false) || read_table(p, true) ? -1 : 0
			     : read_old_tables(p);
	if (!p->c.failed)
		p->c.at = start + (size_t)header;
	return rc;
}

static void reset(struct program *p)
{
	p->address = p->operation = p->discriminator = 0;
	p->line = p->row_file = 1;
	p->column = 0;
}

static void advance(struct program *p, uint64_t operations)
{
	if (p->most_operations > 1) {
		uint64_t all = p->operation + operations;

		p->address += p->least_bytes * (all / p->most_operations);
		p->operation = all % p->most_operations;
	} else {
		p->address += p->least_bytes * operations;
	}
}

static int push_row(struct program *p, bool end)
{
	struct dwarf_row *row = vector_push(&p->out->rows);

	if (!row)
		return -1;
	*row = (struct dwarf_row){
		.address = p->address,
		.line = p->line <= INT32_MAX ? (int32_t)p->line : 0,
		.column = p->column <= UINT32_MAX ? (uint32_t)p->column : 0,
		.file = p->row_file <= UINT32_MAX ? (uint32_t)p->row_file : 0,
		.discriminator = (uint32_t)p->discriminator,
		.end = end,
	};
	if (p->out->rows.count > 1 && row->address < row[-1].address)
		p->ordered = false;
	p->discriminator = 0;
	return 0;
}

/*
 * A sequence is complete. Linkers leave what they removed at address 0, LLD at the greatest
 * addresses: such a sequence could lie over code that is there.
 */
static int end_sequence(struct program *p)
{
	uint64_t greatest = p->address_size == 4 ? UINT32_MAX : UINT64_MAX;
	uint64_t first;

	/* Rows at the very end are of no code, and would go on behind it once all is sorted. */
	while (p->out->rows.count > p->sequence &&
	       p->out->rows.items[p->out->rows.count - 1].address == p->address)
		p->out->rows.count--;
	if (push_row(p, true))
		return -1;
	first = p->out->rows.items[p->sequence].address;
	if (!first || first >= greatest - 1)
		p->out->rows.count = p->sequence;
	p->sequence = p->out->rows.count;
	reset(p);
	return 0;
}

static int run_extended(struct program *p)
{
	uint64_t length = cursor_uleb128(&p->c);
	size_t end;
	int rc = 0;

	if (!length || length > cursor_left(&p->c)) {
		p->c.failed = true;
		return 0;
	}
	end = p->c.at + (size_t)length;
	switch (cursor_u8(&p->c)) {
	case DW_LNE_end_sequence:
		rc = end_sequence(p);
		break;
	case DW_LNE_set_address:
		p->address = dwarf_form_address(&p->c, (unsigned)length - 1);
		p->operation = 0;
		break;
	case DW_LNE_set_discriminator:
		p->discriminator = cursor_uleb128(&p->c);
		break;
	}
	if (!p->c.failed)
		p->c.at = end;
	return rc;
}

static int run_standard(struct program *p, uint8_t opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		return push_row(p, false);
	case DW_LNS_advance_pc:
		advance(p, cursor_uleb128(&p->c));
		return 0;
	case DW_LNS_advance_line:
		p->line += (uint64_t)cursor_sleb128(&p->c);
		return 0;
	case DW_LNS_set_file:
		p->row_file = cursor_uleb128(&p->c);
		return 0;
	case DW_LNS_set_column:
		p->column = cursor_uleb128(&p->c);
		return 0;
	case DW_LNS_const_add_pc:
		advance(p, (255u - p->opcode_base) / p->line_range);
		return 0;
	case DW_LNS_fixed_advance_pc:
		p->address += cursor_u16(&p->c);
		p->operation = 0;
		return 0;
	}
	for (unsigned i = 0; i < p->operands[opcode]; i++)
		cursor_uleb128(&p->c);
	return 0;
}

static int lines_run(struct program *p)
{
	reset(p);
	while (cursor_left(&p->c)) {
		uint8_t opcode = cursor_u8(&p->c);
		int rc = 0;

		if (opcode >= p->opcode_base) {
			opcode = (uint8_t)(opcode - p->opcode_base);
			advance(p, opcode / p->line_range);
			p->line += (uint64_t)(int64_t)(p->line_base + opcode % p->line_range);
			rc = push_row(p, false);
		} else {
			rc = opcode ? run_standard(p, opcode) : run_extended(p);
		}
		if (rc)
			return rc;
	}
	/* rows without an end would go on for ever */
	p->out->rows.count = p->sequence;
	return 0;
}

struct sorted_row {
	struct dwarf_row row;
	size_t number;
};

ORDER_BY(by_address, struct sorted_row,
	 ORDER_UP(row.address) ?: ORDER_DOWN(row.end) ?: ORDER_UP(number));

/* Sequences come in any order; a sequence may begin where another ends. */
static int sort_rows(struct dwarf_lines *l)
{
	size_t count = l->rows.count;
	struct sorted_row *sorted = memory_alloc_array(count ? count : 1, sizeof(*sorted));

	if (!sorted)
		return -1;
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct sorted_row){l->rows.items[i], i};
	qsort(sorted, count, sizeof(*sorted), by_address);
	for (size_t i = 0; i < count; i++)
		l->rows.items[i] = sorted[i].row;
	memory_free(sorted);
	return 0;
}

int dwarf_lines_read(const struct dwarf_unit *u, uint64_t offset, struct dwarf_lines *out)
{
	struct program p = {
		.file = u->file, .out = out, .address_size = u->address_size, .ordered = true};
	int rc = read_header(&p, offset);

	if (!rc && !p.c.failed && p.opcode_base && p.line_range)
		rc = lines_run(&p);
	else
		out->damaged = true;
	out->damaged |= p.c.failed;
	if (!rc && !p.ordered)
		rc = sort_rows(out);
	return rc;
}

int dwarf_lines_read_files(const struct dwarf_unit *u, uint64_t offset, struct dwarf_lines *out)
{
	struct program p = {.file = u->file, .out = out};
	int rc = read_header(&p, offset);

	out->damaged = p.c.failed;
	return rc;
}

void dwarf_lines_deinit(struct dwarf_lines *l)
{
	vector_deinit(&l->rows);
	vector_deinit(&l->files);
}
