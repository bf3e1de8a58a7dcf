/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <string.h>

#include "isa/isa.h"

struct sample {
	const char *what;
	uint8_t bytes[16];
	uint8_t size; /* of bytes */
	uint8_t length, kind;
	uint64_t target; /* with the instruction at 0x1000 */
};

static const struct sample samples[] = {
	{"nop", {0x90}, 1, 1, ISA_OTHER, 0},
	{"jmp rel8", {0xeb, 0xfe}, 2, 2, ISA_JUMP, 0x1000},
	{"jmp rel32", {0xe9, 1, 0, 0, 0}, 5, 5, ISA_JUMP, 0x1006},
	{"66 jmp rel32", {0x66, 0xe9, 1, 0, 0, 0}, 6, 6, ISA_JUMP, 0x1007},
	{"je rel8", {0x74, 0x10}, 2, 2, ISA_JUMP_CONDITIONAL, 0x1012},
	{"jne rel32", {0x0f, 0x85, 0, 1, 0, 0}, 6, 6, ISA_JUMP_CONDITIONAL, 0x1106},
	{"loop", {0xe2, 0xfc}, 2, 2, ISA_JUMP_CONDITIONAL, 0xffe},
	{"jrcxz", {0xe3, 0x05}, 2, 2, ISA_JUMP_CONDITIONAL, 0x1007},
	{"call rel32", {0xe8, 0xfb, 0xff, 0xff, 0xff}, 5, 5, ISA_CALL, 0x1000},
	{"call *rax", {0xff, 0xd0}, 2, 2, ISA_CALL_INDIRECT, 0},
	{"call *0x128(r13)", {0x41, 0xff, 0x95, 0x28, 1, 0, 0}, 7, 7, ISA_CALL_INDIRECT, 0},
	{"notrack jmp *rax", {0x3e, 0xff, 0xe0}, 3, 3, ISA_JUMP_INDIRECT, 0},
	{"jmp *table(,rax,8)", {0xff, 0x24, 0xc5, 0, 0x10, 0x40, 0}, 7, 7, ISA_JUMP_INDIRECT, 0},
	{"ret", {0xc3}, 1, 1, ISA_RETURN, 0},
	{"rep ret", {0xf3, 0xc3}, 2, 2, ISA_RETURN, 0},
	{"ret 8", {0xc2, 8, 0}, 3, 3, ISA_RETURN, 0},
	{"syscall", {0x0f, 0x05}, 2, 2, ISA_SYSCALL, 0},
	{"ud2", {0x0f, 0x0b}, 2, 2, ISA_STOP, 0},
	{"ud1 (eax),eax", {0x67, 0x0f, 0xb9, 0x40, 0x02}, 5, 5, ISA_STOP, 0},
	{"push (rax)", {0xff, 0x30}, 2, 2, ISA_OTHER, 0},
	{"endbr64", {0xf3, 0x0f, 0x1e, 0xfa}, 4, 4, ISA_OTHER, 0},
	{"vpcmpeqb k0,ymm16,(rdi)", {0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x07, 0x00}, 7, 7, ISA_OTHER, 0},
	{"kmovd eax,k0", {0xc5, 0xfb, 0x93, 0xc0}, 4, 4, ISA_OTHER, 0},
	{"kortestd k0,k0", {0xc4, 0xe1, 0xf9, 0x98, 0xc0}, 5, 5, ISA_OTHER, 0},
	{"xbegin", {0xc7, 0xf8, 0, 0, 0, 0}, 6, 6, ISA_OTHER, 0},
	{"cut short", {0xe9, 1, 0}, 3, 0, 0, 0},
	{"only a prefix", {0x66}, 1, 0, 0, 0},
};

static void decodes(void **state)
{
	struct isa_decoder *d = isa_decoder_new(EM_X86_64);

	(void)state;
	assert_non_null(d);
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];
		struct isa_insn insn = {0};
		bool ok = isa_decode(d, s->bytes, s->size, 0x1000, &insn);

		if (ok != (s->length != 0) ||
		    (ok && (insn.length != s->length || insn.kind != s->kind ||
			    insn.target != s->target)))
			fail_msg("%s: ok %d length %u kind %u target %lx", s->what, ok, insn.length,
				 insn.kind, insn.target);
	}
	isa_decoder_free(d);
}

static void unknown_machine_is_refused(void **state)
{
	(void)state;
	assert_null(isa_decoder_new(EM_S390));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes),
		cmocka_unit_test(unknown_machine_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
