/* SPDX-License-Identifier: MIT */
/* Classes of AArch64 instructions that are tested, as words with free bits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum test_shape {
	TEST_MEMORY = 0x001,  /* the base is bits 9 to 5 */
	TEST_INDEXED = 0x002, /* bits 20 to 16 are an index */
	TEST_ALIGNED = 0x004,
	TEST_ZEROES = 0x008,	 /* the base is bits 4 to 0 */
	TEST_TARGET = 0x010,	 /* bits 9 to 5 are a target */
	TEST_FORGETS = 0x020,	 /* results may be unknown */
	TEST_STOPS = 0x040,	 /* evaluation may end here */
	TEST_POINTER = 0x080,	 /* of canonical pointers */
	TEST_FORWARD_19 = 0x100, /* a distance to the target is put there */
	TEST_FORWARD_14 = 0x200,
	TEST_FORWARD_26 = 0x400,
};

struct test_class {
	const char *name;
	uint32_t value, free; /* of the first word */
	unsigned shape;
	unsigned most; /* words that there are; 0: many */
	/* of a second word, if there is one; and the bits that it has from the first */
	uint32_t second, second_free, shared;
	uint64_t (*offset)(uint32_t word); /* of the address from the base */
};

extern const struct test_class test_classes[];
extern const unsigned test_class_count;

static inline unsigned test_word_count(const struct test_class *class)
{
	return class->second ? 2 : 1;
}

/* Two words (the second may be none) from random bits; @distance to the target of branches, in
 * words. */
void test_words(const struct test_class *class, uint64_t random, uint32_t distance,
		uint32_t *words);
/* CONSTRAINED UNPREDICTABLE: the base is written twice, or a pair is one register. */
bool test_is_unpredictable(const uint32_t *words);
uint64_t test_offset(const struct test_class *class, uint32_t word);
/* Bytes of this machine's vectors of SVE; 0: it has none. */
uint16_t test_sve_bytes(void);
