/* SPDX-License-Identifier: MIT */
/* The classes, by Arm ARM, C4.1. */
#include <sys/prctl.h>

#include "tests/live/instructions_aarch64.h"

#define MEMORY TEST_MEMORY

static uint64_t field(uint32_t word, unsigned low, unsigned width)
{
	return (uint64_t)((int64_t)((uint64_t)word << (64 - low - width)) >> (64 - width));
}

static uint64_t unsigned_12(uint32_t word)
{
	unsigned size = word >> 30;

	if (word >> 26 & 1 && word >> 23 & 1)
		size = 4;
	return (uint64_t)(word >> 10 & 0xfff) << size;
}

/* but for post-index */
static uint64_t signed_9(uint32_t word)
{
	return (word >> 10 & 3) == 1 ? 0 : field(word, 12, 9);
}

static uint64_t pair_7(uint32_t word)
{
	unsigned opc = word >> 30;
	unsigned scale = word >> 26 & 1 ? 2 + opc : 2 + (opc >> 1);

	return (word >> 23 & 3) == 1 ? 0 : field(word, 15, 7) << scale;
}

const struct test_class test_classes[] = {
	{"adr", 0x10000000, 0xe0ffffff},
	{"add immediate", 0x11000000, 0xe07fffff},
	{"logic immediate", 0x12000000, 0xe07fffff},
	{"move wide", 0x12800000, 0xe07fffff},
	{"bit field 32", 0x13000000, 0x603f7fff},
	{"bit field 64", 0x93400000, 0x603fffff},
	{"extract 32", 0x13800000, 0x001f7fff},
	{"extract 64", 0x93c00000, 0x001fffff},
	{"logic", 0x0a000000, 0xe0ffffff},
	{"add", 0x0b000000, 0xe0dfffff},
	{"add extended", 0x0b200000, 0xe01fffff},
	{"add with carry", 0x1a000000, 0xe01f03ff},
	{"compare conditionally", 0x3a400000, 0xc01ffbef},
	{"select", 0x1a800000, 0xc01ff7ff},
	{"divide", 0x1ac00800, 0x801f07ff},
	{"shift", 0x1ac02000, 0x801f0fff},
	{"crc32", 0x1ac04000, 0x801f1fff},
	{"one source", 0x5ac00000, 0x80001fff},
	{"multiply", 0x1b000000, 0x80ffffff},
	{"branch", 0x14000000, 0x80000000, TEST_FORWARD_26, 2},
	{"branch conditionally", 0x54000000, 0x0000000f, TEST_FORWARD_19, 16},
	{"compare and branch", 0x34000000, 0x8100001f, TEST_FORWARD_19, 128},
	{"test and branch", 0x36000000, 0x81f8001f, TEST_FORWARD_14, 1500},
	{"branch to register", 0xd61f0000, 0x006003e0, TEST_TARGET, 90},
	{"load or store, scaled", 0x39000000, 0xc0ffffff, MEMORY, .offset = unsigned_12},
	{"load or store, near", 0x38000000, 0xc0dfffff, MEMORY, .offset = signed_9},
	{"load or store, indexed", 0x38200800, 0xc0dff3ff, MEMORY | TEST_INDEXED},
	{"load literal", 0x18000000, 0xc0003fff},
	{"load or store pair", 0x28000000, 0xc1ffffff, MEMORY, .offset = pair_7},
	{"acquire or release", 0x089f7c00, 0xc04083ff, MEMORY | TEST_ALIGNED},
	{"acquire or release, near", 0x19000000, 0xc0dff3ff, MEMORY | TEST_ALIGNED,
	 .offset = signed_9},
	{"exclusive", 0x085f7c00, 0xc00083ff, MEMORY | TEST_ALIGNED, .second = 0x08007c00,
	 .second_free = 0x001f801f, .shared = 0xc00003e0},
	{"exclusive pair", 0x887f0000, 0x4000ffff, MEMORY | TEST_ALIGNED, .second = 0x88200000,
	 .second_free = 0x001ffc1f, .shared = 0x400003e0},
	{"store-exclusive alone", 0x08007c00, 0xc01f83ff, MEMORY | TEST_ALIGNED},
	{"compare and swap", 0x08a07c00, 0xc05f83ff, MEMORY | TEST_ALIGNED},
	{"compare and swap pair", 0x08207c00, 0x405e83fe, MEMORY | TEST_ALIGNED},
	{"atomic", 0x38200000, 0xc0dff3ff, MEMORY | TEST_ALIGNED},
	{"zero a block", 0xd50b7420, 0x0000001f, MEMORY | TEST_ZEROES, 31},
	{"read TPIDR_EL0", 0xd53bd040, 0x0000001f, 0, 32},
	{"read CTR_EL0", 0xd53b0020, 0x0000001f, 0, 32},
	{"read DCZID_EL0", 0xd53b00e0, 0x0000001f, 0, 32},
	{"read FPCR", 0xd53b4400, 0x0000001f, 0, 32},
	{"NZCV", 0xd51b4200, 0x0020001f, 0, 64},
	{"rotate into flags", 0xba000400, 0x001f83ef, TEST_FORGETS},
	{"flags of a byte", 0x3a00080d, 0x000043e0, TEST_FORGETS, 64},
	{"invert carry", 0xd500401f, 0, TEST_FORGETS, 1},
	{"sign a pointer", 0xdac10000, 0x00002fff, TEST_FORGETS},
	{"strip any number", 0xdac143e0, 0x0000041f, TEST_FORGETS, 62},
	{"strip a pointer", 0xdac143e0, 0x0000041f, TEST_POINTER, 62},
	{"sign and authenticate", 0xdac10000, 0x00000fff, TEST_POINTER, .second = 0xdac11000,
	 .shared = 0x00000fff},
	{"sign, authenticate x30", 0xd503231f, 0x00000060, TEST_POINTER, 4, .second = 0xd503239f,
	 .shared = 0x60},
	{"sign, authenticate x17", 0xd503211f, 0x00000040, TEST_POINTER, 2, .second = 0xd503219f,
	 .shared = 0x40},
	{"strip x30", 0xd50320ff, 0, TEST_POINTER, 1},
	{"hint", 0xd503241f, 0x00000be0, 0, 32},
	/* vectors */
	{"vector logic", 0x0e201c00, 0x60df03ff},
	{"vector cmgt, cmhi", 0x0e203400, 0x60df03ff},
	{"vector cmge, cmhs", 0x0e203c00, 0x60df03ff},
	{"vector cmtst, cmeq", 0x0e208c00, 0x60df03ff},
	{"vector max", 0x0e206400, 0x60df03ff},
	{"vector min", 0x0e206c00, 0x60df03ff},
	{"vector difference", 0x0e207400, 0x60df03ff},
	{"vector add difference", 0x0e207c00, 0x60df03ff},
	{"vector add, sub", 0x0e208400, 0x60df03ff},
	{"vector mla, mls", 0x0e209400, 0x60df03ff},
	{"vector mul", 0x0e209c00, 0x40df03ff},
	{"vector shift", 0x0e204400, 0x60df03ff},
	{"vector uqsub", 0x2e202c00, 0x40df03ff},
	{"vector pairwise max", 0x0e20a400, 0x60df03ff},
	{"vector pairwise min", 0x0e20ac00, 0x60df03ff},
	{"vector pairwise add", 0x0e20bc00, 0x40df03ff},
	{"scalar add, sub", 0x5ee08400, 0x201f03ff},
	{"scalar compare", 0x5ee03400, 0x201f0bff},
	{"scalar cmtst, cmeq", 0x5ee08c00, 0x201f03ff},
	{"scalar shift", 0x5ee04400, 0x201f03ff},
	{"vector reverse", 0x0e200800, 0x60c013ff},
	{"vector add long pairs", 0x0e202800, 0x60c043ff},
	{"vector cls, clz", 0x0e204800, 0x60c003ff},
	{"vector cnt, not, rbit", 0x0e205800, 0x604003ff},
	{"vector compare with zero", 0x0e208800, 0x60c013ff},
	{"vector cmlt", 0x0e20a800, 0x40c003ff},
	{"vector abs, neg", 0x0e20b800, 0x60c003ff},
	{"scalar abs, neg", 0x5ee0b800, 0x200003ff},
	{"scalar compare with zero", 0x5ee08800, 0x200013ff},
	{"vector xtn", 0x0e212800, 0x40c003ff},
	{"vector shll", 0x2e213800, 0x40c003ff},
	{"vector across long", 0x0e303800, 0x60c003ff},
	{"vector across max", 0x0e30a800, 0x60c003ff},
	{"vector across min", 0x0e31a800, 0x60c003ff},
	{"vector across add", 0x0e31b800, 0x40c003ff},
	{"scalar addp", 0x5ef1b800, 0x000003ff},
	{"vector add, sub long, wide", 0x0e200000, 0x60df33ff},
	{"vector addhn, subhn", 0x0e204000, 0x60df23ff},
	{"vector difference long", 0x0e205000, 0x60df23ff},
	{"vector mlal, mlsl", 0x0e208000, 0x60df23ff},
	{"vector mull", 0x0e20c000, 0x60df03ff},
	{"vector shift right", 0x0f000400, 0x607f13ff},
	{"vector sri", 0x2f004400, 0x407f03ff},
	{"vector shl, sli", 0x0f005400, 0x607f03ff},
	{"vector shrn, rshrn", 0x0f008400, 0x403f0bff},
	{"vector shift long", 0x0f00a400, 0x603f03ff},
	{"scalar shift right", 0x5f400400, 0x203f13ff},
	{"scalar shl, sli", 0x5f405400, 0x203f03ff},
	{"vector constant", 0x0f000400, 0x6007f3ff},
	{"vector dup", 0x0e000400, 0x401f0bff},
	{"vector ins of general", 0x4e001c00, 0x001f03ff},
	{"vector ins", 0x6e000400, 0x001f7bff},
	{"vector smov, umov", 0x0e002c00, 0x401f13ff},
	{"scalar dup", 0x5e000400, 0x001f03ff},
	{"vector uzp, trn, zip", 0x0e001800, 0x40df63ff},
	{"vector zip, uzp", 0x0e003800, 0x40df43ff},
	{"vector tbl, tbx", 0x0e000000, 0x401f73ff},
	{"vector ext", 0x2e000000, 0x401f7bff},
	{"vector load or store, scaled", 0x3d000000, 0xc0ffffff, MEMORY, .offset = unsigned_12},
	{"vector load or store, near", 0x3c000000, 0xc0dfffff, MEMORY, .offset = signed_9},
	{"vector load or store, index", 0x3c200800, 0xc0dff3ff, MEMORY | TEST_INDEXED},
	{"vector load literal", 0x1c000000, 0xc0003fff},
	{"vector load or store pair", 0x2c000000, 0xc1ffffff, MEMORY, .offset = pair_7},
	{"structures", 0x0c000000, 0x4040ffff, MEMORY},
	{"structures, post-index", 0x0c800000, 0x405fffff, MEMORY | TEST_INDEXED},
	{"structure lanes", 0x0d000000, 0x4060ffff, MEMORY},
	{"structure lanes, post-index", 0x0d800000, 0x407fffff, MEMORY | TEST_INDEXED},
	{"vector of anything", 0x0e200400, 0x60dffbff, TEST_FORGETS},
	{"vector misc of anything", 0x0e200800, 0x60c1f3ff, TEST_FORGETS},
	{"vector shift of anything", 0x0f000400, 0x607ffbff, TEST_FORGETS},
	{"vector by element", 0x0f000000, 0x60fff7ff, TEST_FORGETS},
	{"vector widths of anything", 0x0e200000, 0x60dff3ff, TEST_FORGETS},
	{"scalar of anything", 0x5e200400, 0x20dffbff, TEST_FORGETS},
	{"scalar misc of anything", 0x5e200800, 0x20c1f3ff, TEST_FORGETS},
	{"scalar shift of anything", 0x5f000400, 0x207ffbff, TEST_FORGETS},
	{"cryptography", 0x4e280800, 0x0001f3ff, TEST_FORGETS},
	/* floating point */
	{"float move, abs, neg, sqrt", 0x1e204000, 0x004183ff},
	{"float round", 0x1e244000, 0x0041c3ff},
	{"float convert", 0x1e224000, 0x004083ff},
	{"float of two", 0x1e200800, 0x005f73ff},
	{"float fnmul", 0x1e208800, 0x005f03ff},
	{"count elements", 0x0420e000, 0x00cf03ff},
	{"count elements into", 0x0430e000, 0x00cf07ff},
	{"add vector length", 0x04205000, 0x005f07ff},
	{"read vector length", 0x04bf5000, 0x000007ff, 0, 2048},
	{"predicate true", 0x2519e000, 0x00c003ef, 0, 2048},
	{"predicate while", 0x25200400, 0x00df1bff},
	/* the predicate is p3, and the limit is often near the base */
	{"predicate while, store bytes", 0x25200403, 0x00df1bf0, MEMORY, .second = 0xe400ec00,
	 .second_free = 0x0001001f, .shared = 0x3e0},
	{"predicate while, store words", 0x25200403, 0x00df1bf0, MEMORY, .second = 0xe540ec00,
	 .second_free = 0x0001001f, .shared = 0x3e0},
	{"predicate while, load bytes", 0x25200403, 0x00df1bf0, MEMORY, .second = 0xa400ac00,
	 .second_free = 0x0001001f, .shared = 0x3e0},
	{"predicate while, load half-words", 0x25200403, 0x00df1bf0, MEMORY, .second = 0xa4a0ac00,
	 .second_free = 0x0001001f, .shared = 0x3e0},
	{"predicate true, store by index", 0x2518e003, 0x00c00000, MEMORY | TEST_INDEXED, 4,
	 .second = 0xe4184c00, .second_free = 0x0000001f},
	{"scalable load", 0xa400a000, 0x01e11fff, MEMORY | TEST_FORGETS | TEST_STOPS},
	{"scalable load by index", 0xa4004000, 0x01e01fff, MEMORY | TEST_FORGETS | TEST_STOPS},
	{"scalable store", 0xe400e000, 0x01e11fff, MEMORY | TEST_STOPS},
	{"float fused", 0x1f000000, 0x007fffff},
	{"float compare", 0x1e202000, 0x005f03f8},
	{"float compare conditionally", 0x1e200400, 0x005ff3ff},
	{"float select", 0x1e200c00, 0x005ff3ff},
	{"float constant", 0x1e201000, 0x005fe01f},
	{"float to integer", 0x1e200000, 0x805903ff},
	{"float to integer, away", 0x1e240000, 0x804103ff},
	{"integer to float", 0x1e220000, 0x804103ff},
	{"float to fixed", 0x1e180000, 0x8041ffff},
	{"fixed to float", 0x1e020000, 0x8041ffff},
	{"float move to general 32", 0x1e260000, 0x000103ff},
	{"float move to general 64", 0x9e660000, 0x000103ff},
	{"float move upper half", 0x9eae0000, 0x000103ff},
	{"half precision", 0x1ee04000, 0x001f83ff, TEST_FORGETS},
	{"half precision of two", 0x1ee00800, 0x001ff7ff, TEST_FORGETS},
	{"half precision to integer", 0x1ee00000, 0x801f03ff, TEST_FORGETS},
};

const unsigned test_class_count = sizeof(test_classes) / sizeof(test_classes[0]);

void test_words(const struct test_class *class, uint64_t random, uint32_t distance, uint32_t *words)
{
	uint32_t word = class->value | ((uint32_t)random & class->free);

	if (class->shape & TEST_FORWARD_19)
		word |= distance << 5;
	if (class->shape & TEST_FORWARD_14)
		word |= distance << 5;
	if (class->shape & TEST_FORWARD_26)
		word |= distance;
	words[0] = word;
	words[1] = class->second | (word & class->shared) |
		   ((uint32_t)(random >> 32) & class->second_free);
}

uint64_t test_offset(const struct test_class *class, uint32_t word)
{
	return class->offset ? class->offset(word) : 0;
}

static bool is_one_of(uint32_t reg, uint32_t a, uint32_t b, uint32_t c)
{
	return reg == a || reg == b || reg == c;
}

/* a store-exclusive's status in a register that it stores, or whose memory it stores to */
static bool is_bad_exclusive(uint32_t word)
{
	uint32_t second = word >> 21 & 1 ? word >> 10 & 31 : word & 31;

	return (word & 0x3fc00000) == 0x08000000 && !(word >> 21 & 1 && word >> 30 < 2) &&
	       is_one_of(word >> 16 & 31, word & 31, word >> 5 & 31, second);
}

bool test_is_unpredictable(const uint32_t *words)
{
	uint32_t word = words[0], to = word & 31, base = word >> 5 & 31, second = word >> 10 & 31;
	bool vector = word >> 26 & 1;
	bool pair = (word & 0x3a000000) == 0x28000000, load = word >> 22 & 1;
	bool changes = pair ? word >> 23 & 1 : (word & 0x3b200400) == 0x38000400;

	if (is_bad_exclusive(word) || is_bad_exclusive(words[1]))
		return true;
	if ((word & 0xbfe00000) == 0x88600000 && (to == second || second == base)) /* ldxp */
		return true;
	if ((word & 0x3fc00000) == 0x08400000 && to == base) /* the store goes elsewhere */
		return true;
	if ((word & 0xffffc000) == 0xdac10000 && words[1] && to == base) /* changes its modifier */
		return true;
	if (pair && load && to == second)
		return true; /* of vectors too */
	return changes && !vector && base != 31 && (to == base || (pair && second == base));
}

uint16_t test_sve_bytes(void)
{
	int length = prctl(PR_SVE_GET_VL);

	return length < 0 ? 0 : (uint16_t)(length & PR_SVE_VL_LEN_MASK);
}
