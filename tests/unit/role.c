/* SPDX-License-Identifier: MIT */
/* Roles: instructions by hand, and libc's against what Capstone says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <capstone/capstone.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

#define BYTES 12

struct sample {
	const char *what; /* as AT&T writes it */
	uint8_t bytes[BYTES];
	uint8_t size, role;
};

#define COMPUTE ISA_ROLE_COMPUTE
#define STORE	ISA_ROLE_STORE
#define SHUFFLE ISA_ROLE_SHUFFLE
#define SELECT	ISA_ROLE_SELECT

static const struct sample samples[] = {
	{"mov %eax,(%rdi)", {0x89, 0x07}, 2, STORE},
	{"mov %al,(%rdi)", {0x88, 0x07}, 2, STORE},
	{"mov %ax,(%rdi)", {0x66, 0x89, 0x07}, 3, STORE},
	{"mov %rax,8(%r12)", {0x49, 0x89, 0x44, 0x24, 0x08}, 5, STORE},
	{"movl $1,(%rdi)", {0xc7, 0x07, 1, 0, 0, 0}, 6, STORE},
	{"movb $1,(%rdi)", {0xc6, 0x07, 1}, 3, STORE},
	{"mov %eax,x(%rip)", {0x89, 0x05, 0, 1, 0, 0}, 6, STORE},
	{"mov %eax,8(%rbp)", {0x89, 0x45, 8}, 3, STORE},
	{"mov %eax,8(%rsp)", {0x89, 0x44, 0x24, 8}, 4, SHUFFLE},
	{"movl $1,(%rsp)", {0xc7, 0x04, 0x24, 1, 0, 0, 0}, 7, SHUFFLE},
	{"movaps %xmm0,(%rsp)", {0x0f, 0x29, 0x04, 0x24}, 4, SHUFFLE},
	{"mov (%rdi),%eax", {0x8b, 0x07}, 2, COMPUTE},
	{"mov 8(%rsp),%eax", {0x8b, 0x44, 0x24, 8}, 4, COMPUTE},
	{"movzbl (%rdi),%eax", {0x0f, 0xb6, 0x07}, 3, COMPUTE},
	{"movslq (%rdi),%rax", {0x48, 0x63, 0x07}, 3, COMPUTE},
	{"mov %ecx,%eax", {0x89, 0xc8}, 2, SHUFFLE},
	{"mov %ecx,%eax (8b)", {0x8b, 0xc1}, 2, SHUFFLE},
	{"mov $5,%eax", {0xb8, 5, 0, 0, 0}, 5, SHUFFLE},
	{"movabs $5,%r9", {0x49, 0xb9, 5, 0, 0, 0, 0, 0, 0, 0}, 10, SHUFFLE},
	{"mov $-1,%rax", {0x48, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0xff}, 7, SHUFFLE},
	{"movzbl %al,%eax", {0x0f, 0xb6, 0xc0}, 3, SHUFFLE},
	{"cltq", {0x48, 0x98}, 2, SHUFFLE},
	{"lea 4(%rdi),%rax", {0x48, 0x8d, 0x47, 4}, 4, SHUFFLE},
	{"push %rbx", {0x53}, 1, SHUFFLE},
	{"push %r12", {0x41, 0x54}, 2, SHUFFLE},
	{"push $1", {0x6a, 1}, 2, SHUFFLE},
	{"push (%rdi)", {0xff, 0x37}, 2, SHUFFLE},
	{"pop %rbx", {0x5b}, 1, SHUFFLE},
	{"ret", {0xc3}, 1, SHUFFLE},
	{"leave", {0xc9}, 1, SHUFFLE},
	{"xor %eax,%eax", {0x31, 0xc0}, 2, SHUFFLE},
	{"xor %r8d,%r8d", {0x45, 0x31, 0xc0}, 3, SHUFFLE},
	{"xor %r8d,%eax", {0x44, 0x31, 0xc0}, 3, COMPUTE},
	{"xor %eax,%r8d", {0x41, 0x31, 0xc0}, 3, COMPUTE},
	{"xor %ecx,%eax", {0x31, 0xc8}, 2, COMPUTE},
	{"xor %eax,(%rax)", {0x31, 0x00}, 2, STORE},
	{"add %eax,%ecx", {0x01, 0xc1}, 2, COMPUTE},
	{"add (%rdi),%eax", {0x03, 0x07}, 2, COMPUTE},
	{"add %eax,(%rdi)", {0x01, 0x07}, 2, STORE},
	{"add %eax,(%rsp)", {0x01, 0x04, 0x24}, 3, COMPUTE},
	{"add $1,%eax", {0x83, 0xc0, 1}, 3, COMPUTE},
	{"addl $1,(%rdi)", {0x83, 0x07, 1}, 3, STORE},
	{"incl (%rdi)", {0xff, 0x07}, 2, STORE},
	{"lock incl (%rdi)", {0xf0, 0xff, 0x07}, 3, STORE},
	{"inc %eax", {0xff, 0xc0}, 2, COMPUTE},
	{"cmp %eax,(%rdi)", {0x39, 0x07}, 2, COMPUTE},
	{"cmpl $1,(%rdi)", {0x83, 0x3f, 1}, 3, COMPUTE},
	{"adc $0,%eax", {0x83, 0xd0, 0}, 3, SELECT},
	{"adc $-1,%r9", {0x49, 0x83, 0xd1, 0xff}, 4, SELECT},
	{"sbb $-1,%eax", {0x83, 0xd8, 0xff}, 3, SELECT},
	{"sbb $5,%eax", {0x83, 0xd8, 5}, 3, COMPUTE},
	{"adcl $0,(%rdi)", {0x83, 0x17, 0}, 3, STORE},
	{"sbb %eax,%eax", {0x19, 0xc0}, 2, SELECT},
	{"sbb %ecx,%eax", {0x19, 0xc8}, 2, COMPUTE},
	{"adc %eax,%eax", {0x11, 0xc0}, 2, COMPUTE},
	{"cmpb $1,(%rdi)", {0x80, 0x3f, 1}, 3, COMPUTE},
	{"test %eax,%eax", {0x85, 0xc0}, 2, COMPUTE},
	{"testb $1,(%rdi)", {0xf6, 0x07, 1}, 3, COMPUTE},
	{"notl (%rdi)", {0xf7, 0x17}, 2, STORE},
	{"negl (%rdi)", {0xf7, 0x1f}, 2, STORE},
	{"neg %eax", {0xf7, 0xd8}, 2, COMPUTE},
	{"idivl (%rdi)", {0xf7, 0x3f}, 2, COMPUTE},
	{"imul %ecx,%eax", {0x0f, 0xaf, 0xc1}, 3, COMPUTE},
	{"shl $2,%eax", {0xc1, 0xe0, 2}, 3, COMPUTE},
	{"shll (%rdi)", {0xd1, 0x27}, 2, STORE},
	{"cltd", {0x99}, 1, COMPUTE},
	{"cmove %ecx,%eax", {0x0f, 0x44, 0xc1}, 3, SELECT},
	{"cmovg (%rdi),%rax", {0x48, 0x0f, 0x4f, 0x07}, 4, SELECT},
	{"sete %al", {0x0f, 0x94, 0xc0}, 3, SELECT},
	{"setne (%rdi)", {0x0f, 0x95, 0x07}, 3, SELECT},
	{"kmovw %eax,%k1", {0xc5, 0xf8, 0x92, 0xc8}, 4, COMPUTE},
	{"kandw %k1,%k2,%k3", {0xc5, 0xec, 0x41, 0xd9}, 4, COMPUTE},
	{"movss %xmm0,(%rdi)", {0xf3, 0x0f, 0x11, 0x07}, 4, STORE},
	{"movsd %xmm0,(%rdi)", {0xf2, 0x0f, 0x11, 0x07}, 4, STORE},
	{"movups %xmm0,(%rdi)", {0x0f, 0x11, 0x07}, 3, STORE},
	{"movq %xmm0,(%rdi)", {0x66, 0x0f, 0xd6, 0x07}, 4, STORE},
	{"movd %xmm0,(%rdi)", {0x66, 0x0f, 0x7e, 0x07}, 4, STORE},
	{"vmovups %ymm0,(%rdi)", {0xc5, 0xfc, 0x11, 0x07}, 4, STORE},
	{"movss (%rdi),%xmm0", {0xf3, 0x0f, 0x10, 0x07}, 4, COMPUTE},
	{"movq (%rdi),%xmm0", {0xf3, 0x0f, 0x7e, 0x07}, 4, COMPUTE},
	{"movdqu (%rdi),%xmm0", {0xf3, 0x0f, 0x6f, 0x07}, 4, COMPUTE},
	{"vmovdqu (%rdi),%ymm0", {0xc5, 0xfe, 0x6f, 0x07}, 4, COMPUTE},
	{"movaps %xmm1,%xmm0", {0x0f, 0x28, 0xc1}, 3, SHUFFLE},
	{"movd %eax,%xmm0", {0x66, 0x0f, 0x6e, 0xc0}, 4, SHUFFLE},
	{"movq %xmm0,%rax", {0x66, 0x48, 0x0f, 0x7e, 0xc0}, 5, SHUFFLE},
	{"pxor %xmm0,%xmm0", {0x66, 0x0f, 0xef, 0xc0}, 4, SHUFFLE},
	{"pxor %xmm8,%xmm0", {0x66, 0x41, 0x0f, 0xef, 0xc0}, 5, COMPUTE},
	{"pxor %xmm1,%xmm0", {0x66, 0x0f, 0xef, 0xc1}, 4, COMPUTE},
	{"xorps %xmm0,%xmm0", {0x0f, 0x57, 0xc0}, 3, SHUFFLE},
	{"addsd %xmm1,%xmm0", {0xf2, 0x0f, 0x58, 0xc1}, 4, COMPUTE},
	{"cvtsi2sd %eax,%xmm0", {0xf2, 0x0f, 0x2a, 0xc0}, 4, COMPUTE},
	/* whole loops, whose statements ran more often */
	{"rep stos %rax,(%rdi)", {0xf3, 0x48, 0xab}, 3, COMPUTE},
	{"rep movsq", {0xf3, 0x48, 0xa5}, 3, COMPUTE},
	{"xchg %eax,(%rdi)", {0x87, 0x07}, 2, STORE},
	{"lock cmpxchg of a register", {0xf0, 0x0f, 0xb1, 0xc8}, 4, COMPUTE},
	{"lock cmpxchg %ecx,(%rdi)", {0xf0, 0x0f, 0xb1, 0x0f}, 4, STORE},
	{"lock xadd %eax,(%rdi)", {0xf0, 0x0f, 0xc1, 0x07}, 4, STORE},
	{"nop", {0x90}, 1, SHUFFLE},
	{"nopw (%rax,%rax)", {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}, 6, SHUFFLE},
	{"endbr64", {0xf3, 0x0f, 0x1e, 0xfa}, 4, SHUFFLE},
	{"vpmovm2b %k0,%zmm0", {0x62, 0xf2, 0x7e, 0x48, 0x28, 0xc0}, 6, COMPUTE},
	/* cut short, and none at all */
	{"mov %eax,8(%r12,", {0x41, 0x89}, 2, COMPUTE},
	{"a prefix alone", {0x66}, 1, COMPUTE},
	{"nothing", {0}, 0, COMPUTE},
};

static struct isa_role_of role_of(const struct sample *s)
{
	return isa_decoder_find_role(EM_X86_64, s->bytes, s->size);
}

static void by_hand(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		uint8_t role = role_of(&samples[i]).role;

		if (role != samples[i].role)
			fail_msg("%s: %u, not %u", samples[i].what, role, samples[i].role);
	}
}

static const struct sample *sample(const char *what)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		if (!strcmp(samples[i].what, what))
			return &samples[i];
	fail_msg("there is no %s", what);
	return NULL;
}

/* Copies of a statement have one operation, whatever the registers; others have another. */
static void operations(void **state)
{
	static const char *const same[][2] = {
		{"xor %r8d,%eax", "xor %ecx,%eax"},
		{"mov %eax,(%rdi)", "mov %eax,x(%rip)"},
		{"xor %r8d,%r8d", "xor %eax,%eax"},
	};
	static const char *const other[][2] = {
		{"mov %eax,(%rdi)", "mov %ax,(%rdi)"},
		{"mov %eax,(%rdi)", "mov %rax,8(%r12)"},
		{"mov %eax,(%rdi)", "mov (%rdi),%eax"},
		{"notl (%rdi)", "negl (%rdi)"},
		{"add $1,%eax", "addl $1,(%rdi)"},
		{"addl $1,(%rdi)", "cmpl $1,(%rdi)"},
		{"movss (%rdi),%xmm0", "addsd %xmm1,%xmm0"},
		{"add %eax,(%rdi)", "add (%rdi),%eax"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		assert_int_equal(role_of(sample(same[i][0])).operation,
				 role_of(sample(same[i][1])).operation);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		assert_int_not_equal(role_of(sample(other[i][0])).operation,
				     role_of(sample(other[i][1])).operation);
}

/* Of other machines nothing is known. */
static void of_others(void **state)
{
	const struct sample *store = sample("mov %eax,(%rdi)");

	(void)state;
	assert_int_equal(isa_decoder_find_role(EM_AARCH64, store->bytes, 4).role, COMPUTE);
	assert_int_equal(isa_decoder_find_role(EM_386, store->bytes, 2).role, COMPUTE);
}

/* ---- libc's instructions ------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

static bool writes_memory(const cs_x86_op *o)
{
	return o->type == X86_OP_MEM && o->access & CS_AC_WRITE && o->mem.base != X86_REG_RSP;
}

/* One more or less, or -1 and 0, as the carry is. */
static bool adds_carry(const cs_insn *i)
{
	const cs_x86_op *o = i->detail->x86.operands;

	if ((strcmp(i->mnemonic, "adc") && strcmp(i->mnemonic, "sbb")) || o[0].type != X86_OP_REG)
		return false;
	if (o[1].type == X86_OP_IMM) /* that is one byte: al has a form of its own */
		return i->detail->x86.opcode[0] == 0x83 && (!o[1].imm || (int8_t)o[1].imm == -1);
	return i->mnemonic[0] == 's' && o[1].type == X86_OP_REG && o[0].reg == o[1].reg;
}

/* By what Capstone prints and by its operands; -1 where it does not tell. */
static int expected(const cs_insn *i)
{
	static const char *const shuffles[] = {"lea",  "push", "pop", "ret",	 "leave",
					       "cdqe", "cwde", "nop", "endbr64", NULL};
	static const char *const arithmetic[] = {
		"add",	     "sub",   "and",   "or",	  "xor",    "adc",   "sbb",   "cmp",
		"test",	     "shl",   "shr",   "sar",	  "rol",    "not",   "neg",   "inc",
		"dec",	     "imul",  "mul",   "div",	  "idiv",   "addsd", "mulsd", "divsd",
		"subsd",     "addss", "mulss", "ucomisd", "comisd", "paddd", "paddq", "cvtsi2sd",
		"cvttsd2si", "bt",    "bsr",   "bsf",	  NULL};
	static const char *const moves[] = {"mov",    "movzx",	"movsx",  "movsxd", "movaps",
					    "movups", "movdqa", "movdqu", "movss",  "movsd",
					    "movq",   "movd",	"movabs", "movapd", NULL};
	static const char *const reads[] = {"cmp", "test", "bt", NULL};
	const cs_x86 *x = &i->detail->x86;

	if (i->bytes[0] == 0xf3 && x->opcode[0] != 0x0f) /* repz ret, which Capstone calls ret */
		return COMPUTE;
	if (begins(i->mnemonic, "cmov") || begins(i->mnemonic, "set") || adds_carry(i))
		return SELECT;
	if (is_one_of(i->mnemonic, shuffles))
		return SHUFFLE;
	if (is_one_of(i->mnemonic, moves) && x->op_count == 2 && x->opcode[0] != 0xa4 &&
	    x->opcode[0] != 0xa5) {
		if (x->operands[0].type == X86_OP_MEM)
			return x->operands[0].mem.base == X86_REG_RSP ? SHUFFLE : STORE;
		return x->operands[1].type == X86_OP_MEM ? COMPUTE : SHUFFLE;
	}
	if (!is_one_of(i->mnemonic, arithmetic))
		return -1;
	if (!strcmp(i->mnemonic, "xor") && x->operands[0].type == X86_OP_REG &&
	    x->operands[1].type == X86_OP_REG && x->operands[0].reg == x->operands[1].reg)
		return SHUFFLE;
	/* Capstone 4.0.2 has it that test writes */
	return !is_one_of(i->mnemonic, reads) && writes_memory(&x->operands[0]) ? STORE : COMPUTE;
}

struct code {
	const uint8_t *bytes;
	size_t size;
};

/* The segment that qsort is in. */
static int find_libc(struct dl_phdr_info *info, size_t size, void *found)
{
	/* a sanitizer has functions of the same names */
	bool is_libc = strstr(info->dlpi_name, "/libc.so");
	struct code *code = found;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + p->p_vaddr;

		if (is_libc && p->p_type == PT_LOAD && p->p_flags & PF_X)
			*code = (struct code){(const uint8_t *)begin, p->p_memsz};
	}
	return code->bytes != NULL;
}

/* What Capstone does not know. */
static void step_over(struct code *code)
{
	struct isa_insn insn = {.length = 1};

	isa_decoder_decode(EM_X86_64, code->bytes, code->size, 0, &insn);
	code->bytes += insn.length;
	code->size -= insn.length;
}

static void as_capstone_says(void **state)
{
	size_t told = 0, known[4] = {0};
	struct code code = {0};
	uint64_t address = 0;
	cs_insn *insn;
	csh handle;

	(void)state;
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), CS_ERR_OK);
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	insn = cs_malloc(handle);
	assert_non_null(insn);
	assert_true(dl_iterate_phdr(find_libc, &code));
	while (told < 200000 && code.size) {
		int role = -1;

		if (cs_disasm_iter(handle, &code.bytes, &code.size, &address, insn))
			role = expected(insn);
		else
			step_over(&code);
		if (role < 0)
			continue;
		told++;
		known[role]++;
		if (isa_decoder_find_role(EM_X86_64, insn->bytes, insn->size).role == role)
			continue;
		fail_msg("%s %s (%02x %02x %02x %02x): %u, not %d", insn->mnemonic, insn->op_str,
			 insn->bytes[0], insn->bytes[1], insn->bytes[2], insn->bytes[3],
			 isa_decoder_find_role(EM_X86_64, insn->bytes, insn->size).role, role);
	}
	cs_free(insn, 1);
	cs_close(&handle);
	assert_true(told > 100000);
	for (unsigned role = 0; role < 4; role++)
		assert_true(known[role] > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(operations),
		cmocka_unit_test(of_others),
		cmocka_unit_test(as_capstone_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
