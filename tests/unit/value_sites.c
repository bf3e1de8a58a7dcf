/* SPDX-License-Identifier: MIT */
/* Sites in assembly: what is one, and how far back its value stands in a register. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "converter/binary/code.h"
#include "tests/unit/program.h"

/* Labels are symbols that name an instruction; functions have sizes. */
static const char source[] =
	"	.text\n"
	"	.macro function name\n"
	"	.globl \\name\n"
	"	.type \\name, @function\n"
	"\\name:\n"
	"	.endm\n"
	"	function straight\n" /* the divisor came in rsi */
	"	mov %rdi, %rax\n"
	"	xor %edx, %edx\n"
	"straight_div:	div %rsi\n"
	"	ret\n"
	"	.size straight, . - straight\n"
	"	function copied\n" /* through ecx and ebx, and killed by the load before */
	"	push %rbx\n"
	"copied_kill:	mov (%rsi), %ebx\n"
	"copied_first:	lea 1(%rdi), %rax\n"
	"	mov %ebx, %ecx\n"
	"	cltd\n"
	"copied_div:	idiv %ecx\n"
	"	pop %rbx\n"
	"	ret\n"
	"	.size copied, . - copied\n"
	"	function joined\n" /* two ways lead to the loop */
	"	mov %rdi, %rax\n"
	"joined_loop:	add $1, %rax\n"
	"	xor %edx, %edx\n"
	"joined_div:	div %rsi\n"
	"	test %rax, %rax\n"
	"	jne joined_loop\n"
	"	ret\n"
	"	.size joined, . - joined\n"
	"	function branched\n" /* the block of the division has one predecessor */
	"branched_first:	test %rsi, %rsi\n"
	"	je 1f\n"
	"	mov %rdi, %rax\n"
	"	xor %edx, %edx\n"
	"branched_div:	div %rsi\n"
	"1:	ret\n"
	"	.size branched, . - branched\n"
	"	function calls\n" /* a call leaves rbx alone, but not rdi */
	"	push %rbx\n"
	"	mov %rdi, %rbx\n"
	"	nop\n"
	"	call straight\n"
	"calls_behind:	mov %rbx, %rdx\n"
	"	mov $source, %rsi\n"
	"calls_copy:	call memcpy@plt\n"
	"calls_indirect:	call *%rax\n"
	"	divl source(%rip)\n"
	"	pop %rbx\n"
	"	ret\n"
	"	.size calls, . - calls\n"
	"	function jumps\n" /* an indirect tail jump */
	"	mov %rsi, %rax\n"
	"jumps_last:	jmp *%rax\n"
	"	.size jumps, . - jumps\n"
	"	function jumps.cold\n" /* a part of it */
	"	ret\n"
	"	.size jumps.cold, . - jumps.cold\n"
	"	function main\n"
	"	xor %eax, %eax\n"
	"	ret\n"
	"	.size main, . - main\n"
	"	.data\n"
	"source:	.long 1\n"
	"	.section .note.GNU-stack,\"\",@progbits\n";

static struct binary *b;
static struct code_cache *cache;
static struct value_sites *sites;

static int make(void **state)
{
	(void)state;
	if (program_directory_make() || program_write("a.s", source) ||
	    program_run("gcc -no-pie -o a a.s") || program_symbols_load("a"))
		return -1;
	b = binary_open("a", NULL);
	cache = b ? code_cache_new(b) : NULL;
	sites = cache ? value_sites_new(b, cache) : NULL;
	return sites ? 0 : -1;
}

static int clean(void **state)
{
	(void)state;
	value_sites_free(sites);
	code_cache_free(cache);
	binary_close(b);
	program_directory_remove();
	return 0;
}

static const struct code *read_function(const char *name)
{
	const struct binary_function *f = binary_function_at(b, program_symbol(name));

	assert_non_null(f);
	assert_int_equal(value_sites_read(sites, f), 0);
	return code_cache_get(cache, f);
}

/* The place of @kind at @label of the function read last. */
static struct value_place place_at(const struct code *c, const char *label, enum value_kind kind)
{
	size_t count;
	const struct value_place *places = value_sites_places(sites, &count);

	for (size_t i = 0; i < count; i++)
		if (places[i].kind == kind &&
		    c->insns[places[i].insn].address == program_symbol(label))
			return places[i];
	fail_msg("no place at %s", label);
	return (struct value_place){0};
}

/* Where the slice of the division at LABEL ends, and in which register its value is there. */
static void expect_end(const char *function, const char *label, enum value_kind kind,
		       const char *first, uint8_t reg)
{
	const struct code *c = read_function(function);
	struct value_place at = place_at(c, label, kind), last = at;

	while (value_sites_step_back(sites, &at))
		last = at;
	assert_int_equal(c->insns[last.insn].address, program_symbol(first));
	assert_int_equal(last.reg, reg);
}

enum { AX, BX, CX, DX, SI, DI };

static void slices_end_where_the_value_is_killed(void **state)
{
	(void)state;
	expect_end("straight", "straight_div", VALUE_DIVISOR, "straight", SI);
	expect_end("copied", "copied_div", VALUE_DIVISOR, "copied_first", BX);
	expect_end("calls", "calls_copy", VALUE_SIZE, "calls", DI);
	expect_end("calls", "calls_indirect", VALUE_TARGET, "calls_indirect", AX);
	expect_end("jumps", "jumps_last", VALUE_TARGET, "jumps", SI);
}

static void slices_end_where_several_ways_meet(void **state)
{
	(void)state;
	expect_end("joined", "joined_div", VALUE_DIVISOR, "joined_loop", SI);
	expect_end("branched", "branched_div", VALUE_DIVISOR, "branched_first", SI);
}

static void parts_of_registers_are_told(void **state)
{
	struct value_place at;

	(void)state;
	at = place_at(read_function("copied"), "copied_div", VALUE_DIVISOR);
	assert_int_equal(at.bytes, 4);
	assert_true(at.is_signed);
	at = place_at(read_function("straight"), "straight_div", VALUE_DIVISOR);
	assert_int_equal(at.bytes, 8);
	assert_false(at.is_signed);
}

/* Memory is no register: its value is known to who evaluated it, alone. */
static void memory_has_no_place(void **state)
{
	size_t count;

	(void)state;
	read_function("calls");
	value_sites_places(sites, &count);
	/* of straight rdi and rsi, the size, the pointer */
	assert_int_equal(count, 4);
}

static void arguments_are_what_is_read_first(void **state)
{
	(void)state;
	assert_int_equal(value_sites_arguments(sites, program_symbol("straight")), 3);
	assert_int_equal(value_sites_arguments(sites, program_symbol("copied")), 3);
	assert_int_equal(value_sites_arguments(sites, program_symbol("calls")), 1);
	assert_int_equal(value_sites_arguments(sites, program_symbol("main")), 0);
	/* and again, as remembered; in the middle of a function none begins */
	assert_int_equal(value_sites_arguments(sites, program_symbol("straight")), 3);
	assert_int_equal(value_sites_arguments(sites, program_symbol("straight_div")), 0);
}

static void instructions_are_told(void **state)
{
	struct value_instruction insn;

	(void)state;
	value_sites_instruction(sites, program_symbol("calls_copy"), &insn);
	assert_true(insn.calls);
	assert_false(insn.indirect);
	assert_int_equal(insn.size, 2);
	value_sites_instruction(sites, program_symbol("calls_indirect"), &insn);
	assert_true(insn.calls && insn.indirect);
	value_sites_instruction(sites, program_symbol("straight_div"), &insn);
	assert_true(insn.divides);
	value_sites_instruction(sites, program_symbol("straight"), &insn);
	assert_false(insn.divides || insn.calls);
}

static bool may_call(const char *at, uint64_t target)
{
	return value_sites_may_call(sites, program_symbol(at), target);
}

static void indirect_jumps_call_functions(void **state)
{
	struct value_instruction insn;

	(void)state;
	value_sites_instruction(sites, program_symbol("jumps_last"), &insn);
	assert_true(insn.calls && insn.indirect);
	assert_true(may_call("jumps_last", program_symbol("straight")));
	assert_true(may_call("jumps_last", program_symbol("jumps"))); /* itself, again */
	assert_true(may_call("jumps_last", VALUE_ELSEWHERE));
	assert_false(may_call("jumps_last", program_symbol("straight_div")));
	assert_false(may_call("jumps_last", program_symbol("jumps_last")));
	assert_false(may_call("jumps_last", program_symbol("jumps.cold")));
	assert_true(may_call("calls_indirect", program_symbol("straight_div")));
}

static void histograms_are_sorted_by_runs(void **state)
{
	struct value_profile p = {0};
	const struct value_site *site;
	struct value_table t;

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(value_profile_add(&p, 64, VALUE_SIZE, i % 4, i % 4 + 1, i < 3), 0);
	assert_int_equal(value_profile_add(&p, 64, VALUE_DIVISOR, 8, 5, true), 0);
	site = value_profile_find(&p, 64, VALUE_SIZE);
	assert_int_equal(site->samples, 10);
	assert_int_equal(site->direct, 3);
	assert_int_equal(site->runs, 3 + 6 + 6 + 8);
	assert_null(value_profile_find(&p, 65, VALUE_SIZE));
	assert_int_equal(value_profile_table(&p, &t), 0);
	assert_int_equal(t.begins[1], 4);
	assert_int_equal(t.begins[2], 5);
	assert_int_equal(t.counts[0].value, 3); /* 8 runs, then two of 6 */
	assert_int_equal(t.counts[1].value, 1);
	assert_int_equal(t.counts[2].value, 2);
	assert_int_equal(t.counts[3].runs, 3);
	assert_int_equal(t.counts[4].value, 8);
	value_profile_table_deinit(&t);
	/* pointers have no end: most are forgotten, their runs are not */
	for (unsigned i = 0; i < 10000; i++)
		assert_int_equal(value_profile_add(&p, 65, VALUE_SIZE, i, 1, true), 0);
	site = value_profile_find(&p, 65, VALUE_SIZE);
	assert_int_equal(site->runs, 10000);
	assert_int_equal(site->values + site->other, 10000);
	assert_true(site->other > 0);
	value_profile_deinit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_end_where_the_value_is_killed),
		cmocka_unit_test(slices_end_where_several_ways_meet),
		cmocka_unit_test(parts_of_registers_are_told),
		cmocka_unit_test(memory_has_no_place),
		cmocka_unit_test(arguments_are_what_is_read_first),
		cmocka_unit_test(instructions_are_told),
		cmocka_unit_test(indirect_jumps_call_functions),
		cmocka_unit_test(histograms_are_sorted_by_runs),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
