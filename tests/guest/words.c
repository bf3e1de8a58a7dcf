/* SPDX-License-Identifier: MIT */
/*
 * words: what objdump -d prints of AArch64 code, on standard input, against softlbr's decoder: each
 * word's kind of control transfer and target. Prints how many words were compared, and the share
 * that look-ahead evaluates; the others are said to be unknown. Ends with 1 if a word was taken for
 * something else.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/decoder.h"
#include "isa/aarch64/op.h"
#include "isa/evaluate.h"

#define REPORTS_MAX 20u

static const struct {
	const char *mnemonic;
	enum isa_kind kind;
} branches[] = {
	{"b", ISA_JUMP},
	{"bl", ISA_CALL},
	{"cbz", ISA_JUMP_CONDITIONAL},
	{"cbnz", ISA_JUMP_CONDITIONAL},
	{"tbz", ISA_JUMP_CONDITIONAL},
	{"tbnz", ISA_JUMP_CONDITIONAL},
	{"br", ISA_JUMP_INDIRECT},
	{"braa", ISA_JUMP_INDIRECT},
	{"brab", ISA_JUMP_INDIRECT},
	{"braaz", ISA_JUMP_INDIRECT},
	{"brabz", ISA_JUMP_INDIRECT},
	{"blr", ISA_CALL_INDIRECT},
	{"blraa", ISA_CALL_INDIRECT},
	{"blrab", ISA_CALL_INDIRECT},
	{"blraaz", ISA_CALL_INDIRECT},
	{"blrabz", ISA_CALL_INDIRECT},
	{"ret", ISA_RETURN},
	{"retaa", ISA_RETURN},
	{"retab", ISA_RETURN},
	{"svc", ISA_SYSCALL},
	{"brk", ISA_STOP},
	{"hlt", ISA_STOP},
	{"udf", ISA_STOP},
};

static enum isa_kind kind_of(const char *mnemonic)
{
	if (!strncmp(mnemonic, "b.", 2) || !strncmp(mnemonic, "bc.", 3))
		return ISA_JUMP_CONDITIONAL;
	for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++)
		if (!strcmp(mnemonic, branches[i].mnemonic))
			return branches[i].kind;
	return ISA_OTHER;
}

/* The last operand of a direct branch: "x0, #3, 27310 <malloc@plt>". */
static uint64_t target_of(const char *operands)
{
	const char *comma = strrchr(operands, ','), *label = strchr(operands, '<');

	while (comma && label && comma > label) /* in the label of a template */
		comma = memrchr(operands, ',', (size_t)(comma - operands));
	return strtoull(comma ? comma + 1 : operands, NULL, 16);
}

static bool has_target(enum isa_kind kind)
{
	return kind == ISA_JUMP || kind == ISA_CALL || kind == ISA_JUMP_CONDITIONAL;
}

static bool is_right(uint32_t word, uint64_t address, const char *mnemonic, const char *operands)
{
	enum isa_kind kind = kind_of(mnemonic);
	struct isa_insn insn;

	return aarch64_decode((const uint8_t *)&word, sizeof(word), address, &insn) &&
	       insn.length == sizeof(word) && insn.kind == kind &&
	       insn.target == (has_target(kind) ? target_of(operands) : 0);
}

static bool is_evaluated(uint32_t word, uint64_t address)
{
	struct isa_record r;

	return isa_record_decode((const uint8_t *)&word, sizeof(word), address, &r) &&
	       r.op != AARCH64_OP_UNMODELLED;
}

int main(void)
{
	uint64_t compared = 0, transfers = 0, evaluated = 0, wrong = 0, address;
	char line[4096], mnemonic[64];
	uint32_t word;
	int at;

	while (fgets(line, sizeof(line), stdin)) {
		/* " 27310:	b0000bd0 	adrp	x16, ..."; bytes of data are ".word" or
		 * ".inst" */
		if (sscanf(line, " %" SCNx64 ":\t%8" SCNx32 " \t%63s%n", &address, &word, mnemonic,
			   &at) != 3 ||
		    !strcmp(mnemonic, ".word"))
			continue;
		compared++;
		transfers += kind_of(mnemonic) != ISA_OTHER;
		evaluated += is_evaluated(word, address);
		if (!is_right(word, address, mnemonic, line + at) && wrong++ < REPORTS_MAX)
			printf("wrong: %s", line);
	}
	printf("%" PRIu64 " words, %" PRIu64 " of them leave the straight line, %" PRIu64
	       " wrong; %.2f %% evaluated\n",
	       compared, transfers, wrong,
	       compared ? 100.0 * (double)evaluated / (double)compared : 0);
	return wrong || !transfers;
}
