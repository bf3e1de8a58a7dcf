/* SPDX-License-Identifier: MIT */
/*
 * Each instruction of evaluate-insns.h is executed by the machine and evaluated, on random
 * registers and memory; everything that evaluation claims to know afterwards must be so, and with
 * all of the input known it must say that it modelled the instruction; those of evaluate-unknown.h
 * need not be. What this CPU lacks is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cpuid.h>
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/user.h>

#define MEMORY_BYTES 2048

#include "evaluate-insns.h"
#include "evaluate-table.h"
#include "evaluate-unknown.h"
#include "isa/evaluate.h"

#define CASES	   150
#define SLOT_BYTES 16
#define XMM_OFF	   160 /* of an XSAVE area */

#define X(text) INSN(text)
/* clang-format off */
__asm__(".pushsection .rodata\n"
	TABLE(integer_insns, INTEGER_INSNS)
	TABLE(vector_insns, VECTOR_INSNS)
	TABLE(evex_insns, EVEX_INSNS)
	TABLE(unknown_insns, UNKNOWN_INSNS)
	TABLE(unknown_evex_insns, UNKNOWN_EVEX_INSNS)
	".popsection\n");
/* clang-format on */
#undef X

extern const uint8_t integer_insns[], vector_insns[], evex_insns[], unknown_insns[],
	unknown_evex_insns[];

/* What the trampoline loads before the instruction, and stores behind it. */
struct machine {
	uint64_t gpr[16];
	uint64_t flags;
};

extern struct machine machine_in, machine_out;
extern uint8_t xsave_in[], xsave_out[], slot[];
extern uint32_t xsave_mask;
void execute(void);

#define LOAD(n, reg)  "mov machine_in + " #n " * 8(%rip), %" #reg "\n"
#define STORE(n, reg) "mov %" #reg ", machine_out + " #n " * 8(%rip)\n"
/* clang-format off */
#define EACH(OP)                                                                                   \
	OP(0, rax) OP(1, rcx) OP(2, rdx) OP(3, rbx) OP(5, rbp) OP(6, rsi) OP(7, rdi) OP(8, r8)     \
	OP(9, r9) OP(10, r10) OP(11, r11) OP(12, r12) OP(13, r13) OP(14, r14) OP(15, r15)
/* clang-format on */

__asm__(".pushsection .trampoline, \"awx\", @progbits\n"
	".balign 64\n"
	"execute:\n"
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"mov %rsp, saved_rsp(%rip)\n"
	"mov xsave_mask(%rip), %eax; xor %edx, %edx; xrstor64 xsave_in(%rip)\n"
	"pushq machine_in + 16 * 8(%rip); popfq\n" EACH(
		LOAD) "mov machine_in + 4 * 8(%rip), %rsp\n"
		      "slot: .fill 16, 1, 0x90\n" EACH(
			      STORE) "mov %rsp, machine_out + 4 * 8(%rip)\n"
				     "mov saved_rsp(%rip), %rsp\n"
				     "pushfq; popq machine_out + 16 * 8(%rip); cld\n"
				     "mov xsave_mask(%rip), %eax; xor %edx, %edx; xsave64 xsave_out(%rip)\n"
				     "vzeroupper; fninit; ldmxcsr default_mxcsr(%rip)\n"
				     "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret\n"
				     ".balign 64\n"
				     "saved_rsp: .quad 0\n"
				     "default_mxcsr: .long 0x1f80\n"
				     "xsave_mask: .long 0\n"
				     ".balign 64\n"
				     "machine_in: .fill 17 * 8, 1, 0\n"
				     "machine_out: .fill 17 * 8, 1, 0\n"
				     ".balign 64\n"
				     "xsave_in: .fill 4096, 1, 0\n"
				     "xsave_out: .fill 4096, 1, 0\n"
				     ".popsection\n");

static uint8_t memory_before[MEMORY_BYTES];
static struct isa_state claimed, real;
static sigjmp_buf trapped;
static volatile sig_atomic_t trap_signal;

/* Numbers that find edges: small, near powers of two, text, floats, anything. */
static uint64_t random_value(void)
{
	static const uint64_t edges[] = {0,
					 1,
					 UINT64_MAX,
					 INT64_MAX,
					 0x8000000080000000,
					 0x7fffffff7fffffff,
					 0x3ff0000000000000,
					 0x3f8000003f800000,
					 0x7ff8000000000000,
					 0xffc00000ff800000,
					 0x4008000000000000};
	double number;
	uint64_t bits;

	switch (random_bits() % 8) {
	case 0:
		return edges[random_bits() % (sizeof(edges) / sizeof(edges[0]))];
	case 1:
		return random_bits() % 64;
	case 2:
		return UINT64_C(1) << random_bits() % 64;
	case 3:
		return (random_bits() & 0x0303030303030303) + 0x6161616161616161;
	case 4:
		return random_bits() & 0x0101000101010001;
	case 5:
		number = (double)(int64_t)(random_bits() % 20001 - 10000) / 8;
		memcpy(&bits, &number, sizeof(bits));
		return bits;
	}
	return random_bits();
}

static void random_fill(uint8_t *to, size_t bytes)
{
	for (size_t i = 0; i + 8 <= bytes; i += 8) {
		uint64_t v = random_value();

		/* equal neighbours, so that comparisons hold too */
		if (i >= 16 && random_bits() % 3 == 0)
			memcpy(&v, to + i - 16, 8);
		memcpy(to + i, &v, 8);
	}
}

static void randomize(void)
{
	uint64_t present = xsave_mask;
	/* the x87's control word: all exceptions masked; its status word */
	uint16_t x87[2] = {(uint16_t)(0x7f | (random_bits() & 0x1f00)), 0};
	uint32_t mxcsr = 0x1f80 | (random_bits() % 4 == 0 ? (uint32_t)(random_bits() & 0xe040) : 0);

	random_fill(memory, sizeof(memory));
	random_fill(xsave_in, 4096);
	memset(xsave_in + 512, 0, 64);
	memcpy(xsave_in + 512, &present, sizeof(present));
	memcpy(xsave_in + 24, &mxcsr, sizeof(mxcsr));
	memcpy(xsave_in, &x87, sizeof(x87));
	for (unsigned i = 0; i < 16; i++)
		machine_in.gpr[i] = random_value();
	machine_in.gpr[1] = random_bits() % 40; /* rcx: counts */
	if (random_bits() % 4 == 0)
		machine_in.gpr[2] = 0; /* rdx: dividends that fit */
	machine_in.gpr[3] = random_bits() % 4 ? machine_in.gpr[3] : (uintptr_t)memory + 512;
	machine_in.gpr[6] = (uintptr_t)memory + 512 + random_bits() % 32 * 16;
	machine_in.gpr[7] = (uintptr_t)memory + 640 + random_bits() % 512;
	machine_in.gpr[4] = (uintptr_t)memory + 1536;
	machine_in.gpr[5] = (uintptr_t)memory + 1600;
	machine_in.gpr[13] = (uintptr_t)memory + 512;
	machine_in.flags = 0x202 | (random_bits() & 0x8d5);
}

static const struct isa_memory reader = {.read = read_memory};

static void on_trap(int signal)
{
	trap_signal = signal;
	siglongjmp(trapped, 1);
}

/* 0, or the signal that it died of. */
static int execute_natively(void)
{
	if (sigsetjmp(trapped, 1)) {
		__asm__ volatile("cld");
		return trap_signal;
	}
	execute();
	return 0;
}

static void load(struct isa_state *s, const struct machine *m, const uint8_t *area, uint64_t pc)
{
	struct isa_registers g = {.general = {
					  .rax = m->gpr[0],
					  .rcx = m->gpr[1],
					  .rdx = m->gpr[2],
					  .rbx = m->gpr[3],
					  .rsp = m->gpr[4],
					  .rbp = m->gpr[5],
					  .rsi = m->gpr[6],
					  .rdi = m->gpr[7],
					  .r8 = m->gpr[8],
					  .r9 = m->gpr[9],
					  .r10 = m->gpr[10],
					  .r11 = m->gpr[11],
					  .r12 = m->gpr[12],
					  .r13 = m->gpr[13],
					  .r14 = m->gpr[14],
					  .r15 = m->gpr[15],
					  .rip = pc,
					  .eflags = m->flags,
				  }};

	isa_state_load_ptrace(s, &g, area, 4096);
}

/* What evaluation stored, against the memory that the machine left. */
static void check_memory(const char *text)
{
	uint8_t after[MEMORY_BYTES];

	memcpy(after, memory, sizeof(after));
	memcpy(memory, memory_before, sizeof(memory));
	for (unsigned i = 0; i < MEMORY_BYTES; i += 8) {
		struct isa_value v;
		uint64_t now;

		memcpy(&now, after + i, 8);
		assert_true(
			isa_shadow_load(&claimed.shadow, &reader, (uintptr_t)memory + i, 8, &v));
		if ((v.bits ^ now) & v.known)
			fail_msg("%s: memory +%u: claimed %lx real %lx known %lx", text, i, v.bits,
				 now, v.known);
	}
}

/* In memory's reach from rsi, as qwords and as doublewords. */
static void small_indices(void)
{
	uint64_t indices[2] = {random_bits() % 128, random_bits() % 128};

	memcpy(xsave_in + XMM_OFF + 16, indices, sizeof(indices));
}

/* False if the machine lacks the instruction. @modelled: all of its results have to be known. */
static bool check_once(const struct insn *insn, bool modelled)
{
	const char *text = insn->text;
	unsigned length = insn->length;
	struct isa_difference d;
	struct isa_record r;
	enum isa_outcome outcome;
	int signal;

	memcpy(slot, insn->bytes, length);
	memset(slot + length, 0x90, SLOT_BYTES - length);
	randomize();
	if (!modelled)
		small_indices();
	memcpy(memory_before, memory, sizeof(memory));
	load(&claimed, &machine_in, xsave_in, (uintptr_t)slot);
	if (!isa_record_decode(slot, SLOT_BYTES, (uintptr_t)slot, &r))
		fail_msg("%s: not decoded", text);
	if (r.length != length)
		fail_msg("%s: length %u, not %u", text, r.length, length);
	outcome = isa_evaluate(&r, &claimed, &reader);
	signal = execute_natively();
	if (signal == SIGILL)
		return false;
	if (signal) { /* a division that traps; xlat at a random address, which says nothing */
		if (signal == SIGFPE)
			assert_int_equal(outcome, ISA_UNMODELLED);
		memcpy(memory, memory_before, sizeof(memory));
		return true;
	}
	if (!modelled && outcome == ISA_UNMODELLED) {
		memcpy(memory, memory_before, sizeof(memory));
		return true;
	}
	if (outcome != ISA_NEXT || (modelled && claimed.unmodelled_pc))
		fail_msg("%s: not evaluated: %s", text, isa_state_cause(&claimed));
	load(&real, &machine_out, xsave_out, (uintptr_t)slot + length);
	if (!isa_state_compare(&claimed, &real, &d))
		fail_msg("%s: %s %u: claimed %lx real %lx known %lx", text, d.kind, d.number,
			 d.claimed, d.real, d.known);
	check_memory(text);
	return true;
}

static void check_table(const uint8_t *table, bool modelled)
{
	const struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_ONSTACK};
	unsigned checked = 0, missing = 0;
	struct insn insn;

	sigaction(SIGILL, &action, NULL); /* here: cmocka sets its own before each test */
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	while (insn_next(&table, &insn)) {
		bool there = true;

		for (unsigned i = 0; there && i < CASES; i++)
			there = check_once(&insn, modelled);
		checked += there;
		missing += !there;
	}
	print_message("%u instructions, %u cases each; %u are not this CPU's\n", checked, CASES,
		      missing);
	assert_true(checked > 0);
}

static void integers(void **state)
{
	(void)state;
	check_table(integer_insns, true);
}

static void vectors(void **state)
{
	(void)state;
	check_table(vector_insns, true);
}

static void evex(void **state)
{
	(void)state;
	if (!__builtin_cpu_supports("avx512bw")) {
		print_message("PARTLY SKIPPED: this CPU has no AVX-512\n");
		skip();
	}
	check_table(evex_insns, true);
}

static void unknown(void **state)
{
	(void)state;
	check_table(unknown_insns, false);
	if (__builtin_cpu_supports("avx512bw"))
		check_table(unknown_evex_insns, false);
}

/* rcx is where it returned to. */
static void behind_a_system_call(void **state)
{
	(void)state;
	randomize();
	load(&claimed, &machine_in, xsave_in, 0x1000);
	assert_false(isa_state_is_behind_system_call(&claimed, &reader));
	claimed.gpr[1] = 0x1000;
	assert_true(isa_state_is_behind_system_call(&claimed, &reader));
}

/* An atomic that changes nothing, again and again: while it finds something else it is followed. */
static void waiting(void **state)
{
	static const uint8_t words[][2] = {{0x89, 0x03}, {0x87, 0x03}}; /* mov, xchg %eax, (%rbx) */
	struct isa_record store, exchange;

	(void)state;
	assert_true(isa_record_decode(words[0], 2, 0x1000, &store));
	assert_true(isa_record_decode(words[1], 2, 0x1002, &exchange));
	randomize();
	load(&claimed, &machine_in, xsave_in, 0x1000);
	claimed.gpr[3] = (uintptr_t)memory;
	for (uint64_t i = 1; i < 100; i++) {
		claimed.gpr[0] = i;
		isa_state_set_pc(&claimed, 0x1000);
		assert_int_equal(isa_evaluate(&store, &claimed, &reader), ISA_NEXT);
		assert_int_equal(isa_evaluate(&exchange, &claimed, &reader), ISA_NEXT);
	}
	isa_state_set_pc(&claimed, 0x1002);
	assert_int_equal(isa_evaluate(&exchange, &claimed, &reader), ISA_UNMODELLED);
	assert_string_equal(isa_state_cause(&claimed), "spinning atomic");
	claimed.gpr[3] = (uintptr_t)memory + 8;
	assert_int_equal(isa_evaluate(&exchange, &claimed, &reader), ISA_NEXT);
}

/* Look-ahead stops at an instruction that only another machine has, even behind lock and with a
 * base that there is no register for. */
static void stops_at_others(void **state)
{
	static const uint8_t codes[][8] = {{0xd5, 0x48, 0x8b, 0x44, 0x24, 8},
					   {0xf0, 0xd5, 0x10, 0x01, 0x00},
					   {0x62, 0x74, 0xfc, 0x1c, 0xaf, 0xca},
					   {0xd5, 0x10, 0xff, 0xd0},
					   {0x8f, 0xe8, 0x78, 0xc2, 0xc1, 3}};
	const struct isa_memory unread = {0};
	struct isa_record r;

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		assert_true(isa_record_decode(codes[i], sizeof(codes[i]), 0x1000, &r));
		isa_state_set_pc(&claimed, 0x1000);
		assert_int_equal(isa_evaluate(&r, &claimed, &unread), ISA_UNMODELLED);
		assert_int_equal(isa_state_pc(&claimed), 0x1000);
	}
}

static int prepare(void **state)
{
	static uint8_t stack[65536];
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	uint32_t low, high;

	(void)state;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	xsave_mask = low & 0xe7;
	sigaltstack(&alternate, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(vectors),
		cmocka_unit_test(evex),
		cmocka_unit_test(unknown),
		cmocka_unit_test(behind_a_system_call),
		cmocka_unit_test(stops_at_others),
		cmocka_unit_test(waiting),
	};

	if (!__builtin_cpu_supports("avx2")) {
		puts("SKIP: the trampoline needs AVX2");
		return 77;
	}
	return cmocka_run_group_tests(tests, prepare, NULL);
}
