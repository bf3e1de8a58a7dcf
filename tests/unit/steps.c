/* SPDX-License-Identifier: MIT */
/*
 * Steps against the ops of the same records (unit-evaluate holds ops against the machine): lines of
 * random instructions on random states, some of which are not known whole, come to the same
 * registers, flags and memory, of which as much is known. Every step is in the table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define MEMORY_BYTES 8192 /* two pages */

#include "evaluate-insns.h"
#include "evaluate-table.h"
#include "isa/x86_64/operand.h"
#include "isa/x86_64/state/status.h"
#include "isa/x86_64/step.h"

#define ROUNDS	   60000
#define LINES	   4 /* on one state */
#define INSNS_MOST 6
#define SLOT	   16

#define BRANCHES           \
	X("jo .+100")      \
	X("jno .+100")     \
	X("jb .+100")      \
	X("jae .+100")     \
	X("je .+100")      \
	X("jne .+100")     \
	X("jbe .+100")     \
	X("ja .+100")      \
	X("js .+100")      \
	X("jns .+100")     \
	X("jp .+100")      \
	X("jnp .+100")     \
	X("jl .+100")      \
	X("jge .+100")     \
	X("jle .+100")     \
	X("jg .+100")      \
	X("jmp .+100")     \
	X("jmp *%rax")     \
	X("jmp *8(%rsi)")  \
	X("call .+100")    \
	X("call *%rax")    \
	X("call *8(%rsi)") \
	X("ret")           \
	X("ret $16")

#define X(text) INSN(text)
/* clang-format off */
__asm__(".pushsection .rodata\n"
	TABLE(step_insns, INTEGER_INSNS VECTOR_INSNS)
	TABLE(step_branches, BRANCHES)
	".popsection\n");
/* clang-format on */
#undef X

extern const uint8_t step_insns[], step_branches[];

static struct insn insns[4096], branches[64];
static unsigned insn_count, branch_count;
static struct isa_state by_steps, by_ops;

static unsigned list(struct insn *to, const uint8_t *at)
{
	unsigned count = 0;

	while (insn_next(&at, &to[count]))
		count++;
	return count;
}

static uint64_t random_value(void)
{
	switch (random_bits() % 4) {
	case 0:
		return random_bits() % 64;
	case 1:
		return UINT64_C(1) << random_bits() % 64;
	case 2:
		return random_bits() & 0x80000000ffff00ff;
	default:
		return random_bits();
	}
}

/* Some state, of which a part may be unknown. */
static void randomize(struct isa_state *s)
{
	struct isa_registers none = {0};

	isa_state_load_ptrace(s, &none, NULL, 0);
	for (unsigned r = 0; r < 16; r++)
		s->gpr[r] = random_value();
	for (unsigned r = 3; r < 8; r++) /* rbx, rsp, rbp, rsi, rdi: mostly into memory */
		if (random_bits() % 8)
			s->gpr[r] = (uintptr_t)memory + 3072 + random_bits() % 2048 / 8 * 8;
	s->gpr[X86_R8 + 5] = (uintptr_t)memory + 4608;
	s->flags = 0x202 | (random_bits() & X86_STATUS_FLAGS);
	for (unsigned v = 0; v < 32; v++) {
		for (unsigned lane = 0; lane < 8; lane++)
			s->vector[v].u64[lane] = random_value();
		s->vector_known[v] = 0xff;
	}
	s->mxcsr = 0x1f80;
	s->mxcsr_known = UINT32_MAX;
	if (random_bits() % 4 == 0) {
		unsigned r = random_bits() % 16;

		s->gpr_known[r] = random_bits() % 2 ? 0 : 0xffff;
		s->gpr[r] &= s->gpr_known[r];
	}
	if (random_bits() % 4 == 0) {
		s->flags_known &= random_bits() | ~(uint64_t)X86_STATUS_FLAGS;
		s->flags &= s->flags_known;
	}
	if (random_bits() % 4 == 0) {
		unsigned v = random_bits() % 16;

		s->vector_known[v] = 0;
		memset(&s->vector[v], 0, sizeof(s->vector[v]));
	}
}

static void check_memory(const char *what, const struct isa_memory *m)
{
	for (unsigned i = 0; i < MEMORY_BYTES; i += 8) {
		uint64_t at = (uintptr_t)memory + i;
		struct isa_value a, b;
		/* not of what was copied from elsewhere */
		bool there = isa_shadow_load(&by_steps.shadow, m, at, 8, &a);

		assert_int_equal(isa_shadow_load(&by_ops.shadow, m, at, 8, &b), there);
		if (!there)
			continue;
		if (a.bits != b.bits || a.known != b.known)
			fail_msg("%smemory +%u: %lx (%lx known), not %lx (%lx)", what, i, a.bits,
				 a.known, b.bits, b.known);
	}
}

static void check_registers(const char *what)
{
	const struct isa_state *a = &by_steps, *b = &by_ops;

	if (a->pc != b->pc)
		fail_msg("%spc: %lx, not %lx", what, a->pc, b->pc);
	for (unsigned r = 0; r < 16; r++)
		if (a->gpr[r] != b->gpr[r] || a->gpr_known[r] != b->gpr_known[r])
			fail_msg("%sregister %u: %lx (%lx known), not %lx (%lx)", what, r,
				 a->gpr[r], a->gpr_known[r], b->gpr[r], b->gpr_known[r]);
	if (a->flags != b->flags || a->flags_known != b->flags_known)
		fail_msg("%sflags: %lx (%lx known), not %lx (%lx)", what, a->flags, a->flags_known,
			 b->flags, b->flags_known);
	for (unsigned v = 0; v < 32; v++)
		if (a->vector_known[v] != b->vector_known[v] ||
		    memcmp(&a->vector[v], &b->vector[v], sizeof(a->vector[v])))
			fail_msg("%svector %u", what, v);
	assert_int_equal(a->mxcsr_known, b->mxcsr_known);
}

/* A line of random instructions and its text. */
static unsigned make_line(struct isa_record *line, char *text, size_t size)
{
	unsigned count = 1 + random_bits() % INSNS_MOST, n = 0, length = 0;
	size_t used = 0;

	for (unsigned i = 0; i < count; i++) {
		bool last = i + 1 == count && random_bits() % 2;
		const struct insn *insn = last ? &branches[random_bits() % branch_count]
					       : &insns[random_bits() % insn_count];
		uint8_t bytes[SLOT] = {0};

		memcpy(bytes, insn->bytes, insn->length);
		/* a pc that is the same whatever the line: what is relative to it is not in memory
		 */
		assert_true(isa_record_decode(bytes, SLOT, 0x1000, &line[n]));
		length += line[n].length;
		line[n++].behind = (uint8_t)length;
		used += (size_t)snprintf(text + used, size - used, "%s; ", insn->text);
	}
	line[n] = (struct isa_record){0};
	return n;
}

static void run_both(const struct isa_record *line, unsigned count, const char *what,
		     const struct isa_memory *m)
{
	const struct isa_record *end = line + count, *stopped = line;
	const struct isa_record *r = line;
	enum isa_outcome outcome, expected = ISA_NEXT;

	isa_state_set_pc(&by_steps, 0x1000);
	isa_state_set_pc(&by_ops, 0x1000);
	outcome = isa_evaluate_line(&stopped, &by_steps, m);
	x86_status_end(&by_steps);
	while (r < end) {
		uint64_t behind = by_ops.pc + r->length;

		expected = x86_op_evaluate(r, &by_ops, m);
		if (expected != ISA_NEXT)
			break;
		by_ops.pc = behind;
		r++;
	}
	if (outcome != expected || stopped != r)
		fail_msg("%soutcome %d at %d, not %d at %d", what, outcome, (int)(stopped - line),
			 expected, (int)(r - line));
	check_registers(what);
}

/* A reader of copies with room for one page: each other page takes it over. */
struct copies {
	struct isa_memory *memory;
	struct isa_window windows[ISA_WINDOWS];
	uint64_t number;
	uint8_t page[ISA_PAGE];
};

static const uint8_t *copy_of(struct copies *c, uint64_t number)
{
	static const uint8_t again[ISA_PAGE / 64] = {[0 ... ISA_PAGE / 64 - 1] = 0xff};

	if (c->number == number)
		return c->page;
	c->windows[c->number % ISA_WINDOWS].number = UINT64_MAX;
	c->number = number;
	c->memory->replaced++;
	c->windows[number % ISA_WINDOWS] = (struct isa_window){number, c->page, again, false};
	memcpy(c->page, (const void *)(number * ISA_PAGE), ISA_PAGE);
	return c->page;
}

static bool read_copies(void *context, uint64_t address, void *out, size_t bytes)
{
	uint64_t first = (uintptr_t)memory / ISA_PAGE;

	for (size_t i = 0; i < bytes; i++) {
		uint64_t number = (address + i) / ISA_PAGE;

		if (number < first || number >= first + MEMORY_BYTES / ISA_PAGE)
			return false;
		((uint8_t *)out)[i] = copy_of(context, number)[(address + i) % ISA_PAGE];
	}
	return true;
}

static const uint8_t *touch_copies(void *context, uint64_t address, unsigned bytes)
{
	struct copies *c = context;

	if (address % 8 + bytes > 8 || c->number != address / ISA_PAGE)
		return NULL;
	return c->page + address % ISA_PAGE;
}

static void begin_copies(struct copies *c, struct isa_memory *m)
{
	c->memory = m;
	c->number = UINT64_MAX;
	for (unsigned i = 0; i < ISA_WINDOWS; i++)
		c->windows[i].number = UINT64_MAX;
	m->context = c;
	m->read = read_copies;
	m->touch = touch_copies;
	m->windows = c->windows;
}

static void lines(void **state)
{
	static struct copies copies;
	struct isa_record line[INSNS_MOST + 1];
	char text[1024];

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct isa_memory m = {.read = read_memory};
		uint64_t same;

		/* memory that no word can be found again in, and copies that move */
		if (i % 2)
			begin_copies(&copies, &m);
		for (unsigned at = 0; i % 64 == 0 && at < MEMORY_BYTES; at += 8)
			*(uint64_t *)(void *)(memory + at) = random_value();
		seed += i;
		same = seed;
		randomize(&by_steps);
		seed = same;
		randomize(&by_ops);
		for (unsigned n = 0; n < LINES; n++) {
			unsigned count = make_line(line, text, sizeof(text));

			run_both(line, count, text, &m);
		}
		if (i % 16 < 2)
			check_memory(text, &m);
	}
}

static void see(bool *seen, const struct insn *of, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		uint8_t bytes[SLOT] = {0};
		struct isa_record r;

		memcpy(bytes, of[i].bytes, of[i].length);
		assert_true(isa_record_decode(bytes, SLOT, 0x1000, &r));
		seen[r.step] = true;
	}
}

static void all_are_there(void **state)
{
	static const char *const names[] = {
#define X(name) #name,
		X86_STEPS(X)
#undef X
	};
	bool seen[X86_STEP_COUNT] = {false};
	unsigned missing = 0;

	(void)state;
	see(seen, insns, insn_count);
	see(seen, branches, branch_count);
	for (unsigned i = X86_STEP_END + 1; i < X86_STEP_COUNT; i++) {
		if (!seen[i])
			print_message("no instruction for step %s\n", names[i]);
		missing += !seen[i];
	}
	assert_int_equal(missing, 0);
}

/* What a whole state says of a condition is what its flags say, whichever of them are known. */
static void conditions(void **state)
{
	static const uint64_t all[6] = {X86_CF, X86_PF, X86_AF, X86_ZF, X86_SF, X86_OF};

	(void)state;
	randomize(&by_ops);
	memset(by_ops.gpr_known, 0xff, sizeof(by_ops.gpr_known));
	for (unsigned i = 0; i < 64 * 64; i++) {
		uint64_t flags = 0, known = 0;

		for (unsigned f = 0; f < 6; f++) {
			flags |= i >> f & 1 ? all[f] : 0;
			known |= i >> (6 + f) & 1 ? all[f] : 0;
		}
		by_ops.flags = flags & known;
		by_ops.flags_known = known;
		assert_true(x86_status_begin(&by_ops));
		for (unsigned c = 0; c < 16; c++) {
			/* the ops know an "or" of which one half is known to hold */
			int expected = x86_flags_condition(&by_ops, c);
			int found = x86_status_condition(by_ops.status, c);

			if (found != expected && found != -1)
				fail_msg("condition %u: %d, not %d", c, found, expected);
			if (found == -1 && expected != -1 && c / 2 != 3 && c / 2 != 7)
				fail_msg("condition %u is not known", c);
		}
		x86_status_end(&by_ops);
		assert_int_equal(by_ops.flags, flags & known);
		assert_int_equal(by_ops.flags_known, known);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(all_are_there),
		cmocka_unit_test(conditions),
	};

	insn_count = list(insns, step_insns);
	branch_count = list(branches, step_branches);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
