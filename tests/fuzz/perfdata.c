/* SPDX-License-Identifier: MIT */
/* perf.data bytes through the reader and the aggregation, with a binary that maps all offsets. */
#include <stdlib.h>

#include "converter/aggregate.h"
#include "converter/kernel.h"
#include "converter/text_profile.h"

struct binary {
	struct build_id build_id;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const char *binary_path(const struct binary *b)
{
	(void)b;
	return "/bin/program";
}

const struct build_id *binary_build_id(const struct binary *b)
{
	return &b->build_id;
}

bool kernel_is_name_of(const struct binary *b, const char *name)
{
	(void)b;
	(void)name;
	return false;
}

uint64_t kernel_map_to_va(const struct binary *b, const char *name, uint64_t start,
			  uint64_t file_offset, uint64_t address)
{
	(void)b;
	(void)name;
	return address - start + file_offset;
}

uint64_t binary_offset_to_va(const struct binary *b, uint64_t offset)
{
	(void)b;
	return offset;
}

bool binary_is_code(const struct binary *b, uint64_t va)
{
	(void)b;
	return va < 1u << 30;
}

const uint8_t *binary_code(const struct binary *b, uint64_t va, size_t *size)
{
	static const uint8_t code;

	*size = binary_is_code(b, va) ? (1u << 30) - va : 0;
	return *size ? &code : NULL;
}

/* Profiles as text have targets of their own. */
bool text_profile_is(enum profile_kind kind)
{
	return kind == PROFILE_CALLGRIND;
}

int text_profile_read(struct binary *b, enum profile_kind kind, const uint8_t *data, size_t size,
		      const char *name, struct branch_profile *out, struct softlbr_error *e)
{
	(void)b;
	(void)kind;
	(void)data;
	(void)size;
	(void)name;
	(void)out;
	(void)e;
	return -SOFTLBR_E_INPUT;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct binary binary;
	struct softlbr_error e = {0};
	struct aggregate a;
	int rc;

	if (aggregate_init(&a, &binary, NULL, &e))
		abort();
	rc = aggregate_add_bytes(&a, data, size, "fuzz", &e);
	if (rc != -e.code || (rc && !e.text[0]))
		abort(); /* an error without a message, or the other way round */
	if (!aggregate_funnel_adds_up(&a.funnel))
		abort();
	aggregate_deinit(&a);
	return 0;
}
