/* SPDX-License-Identifier: MIT */
/* A copy of this program's own stack is unwound to what glibc's backtrace(3) finds in place; what
 * of it is missing or wrong ends it. */
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#include "converter/dwarf/unwinder.h"

#define STACK_BYTES (62u << 10)
#define CALLS	    64
#define DEPTH	    5
#define BEYOND	    4096 /* an address at which nothing is */

#ifdef __x86_64__
#define MASK UINT64_C(0xff01ff)
#define PC   8
#else
#define MASK UINT64_C(0x1ffffffff)
#define PC   32
#endif

struct copy {
	uint64_t registers[33];
	uint8_t stack[STACK_BYTES];
	size_t bytes;
	void *truth[CALLS];
	int truth_count;
};

static struct unwinder_thread thread_of(const struct copy *c)
{
	return (struct unwinder_thread){MASK, c->registers, c->stack, c->bytes};
}

static void copy_registers(struct copy *c, const ucontext_t *here)
{
#ifdef __x86_64__
	static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
				    REG_RBP, REG_RSP, REG_RIP, REG_R8,	REG_R9,	 REG_R10,
				    REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		c->registers[i] = (uint64_t)here->uc_mcontext.gregs[order[i]];
#else
	memcpy(c->registers, here->uc_mcontext.regs, 31 * sizeof(uint64_t));
	c->registers[31] = here->uc_mcontext.sp;
	c->registers[32] = here->uc_mcontext.pc;
#endif
}

static uint64_t stack_pointer(const struct copy *c)
{
#ifdef __x86_64__
	return c->registers[7];
#else
	return c->registers[31];
#endif
}

/* As the collector does: what can be read. */
__attribute__((noinline)) static void take_copy(struct copy *c)
{
	struct iovec to = {c->stack, sizeof(c->stack)}, from;
	ucontext_t here;
	ssize_t bytes;

	assert_int_equal(getcontext(&here), 0);
	copy_registers(c, &here);
	c->truth_count = backtrace(c->truth, CALLS);
	from = (struct iovec){(void *)(uintptr_t)stack_pointer(c), sizeof(c->stack)};
	bytes = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	assert_true(bytes > 0);
	c->bytes = (size_t)bytes & ~(size_t)7;
}

__attribute__((noinline)) static unsigned descend(struct copy *c, unsigned depth)
{
	unsigned below = 0;

	if (depth)
		below = descend(c, depth - 1);
	else
		take_copy(c);
	return (below ^ depth) * 3; /* not a loop, for a compiler */
}

/* ---- what is mapped ------------------------------------------------------------------------ */

struct search {
	uint64_t address;
	struct unwinder_mapping *out;
};

static int look(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *s = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t begin = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || s->address - begin >= p->p_memsz)
			continue;
		*s->out = (struct unwinder_mapping){info->dlpi_name[0] ? info->dlpi_name
								       : "/proc/self/exe",
						    begin, p->p_offset};
		return 1;
	}
	return 0;
}

static bool mapping_at(void *context, uint64_t address, struct unwinder_mapping *out)
{
	struct search s = {address, out};

	(void)context;
	return dl_iterate_phdr(look, &s);
}

static const struct unwinder_space space = {mapping_at, NULL};

/* ---- tests --------------------------------------------------------------------------------- */

/* The truth begins with take_copy itself, below what a sanitizer runs in between. How many calls
 * there are. */
static size_t truth_of(const struct copy *c, uint64_t first_call, void *const **truth)
{
	for (int i = 1; i < c->truth_count; i++) {
		*truth = &c->truth[i];
		if (first_call + 1 == (uintptr_t)c->truth[i])
			return (size_t)(c->truth_count - i);
	}
	fail_msg("the first call is none of backtrace's");
	return 0;
}

static void assert_is_truth(const struct copy *c, const uint64_t *calls, size_t count, bool whole)
{
	void *const *truth = NULL;
	size_t all = count ? truth_of(c, calls[0], &truth) : 0;

	assert_true(whole ? count == all : count <= all);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(calls[i] + 1, (uintptr_t)truth[i]);
}

static void finds_all_callers(void **state)
{
	static struct copy copy;
	struct unwinder_thread thread;
	uint64_t calls[CALLS];
	struct unwinder *u;
	bool whole;
	size_t count;

	(void)state;
	descend(&copy, DEPTH);
	thread = thread_of(&copy);
	u = unwinder_new(&space);
	assert_non_null(u);
	for (int again = 0; again < 2; again++) {
		count = unwinder_calls(u, &thread, calls, CALLS, &whole);
		assert_true(whole);
		assert_true(count > DEPTH + 1);
		assert_is_truth(&copy, calls, count, true);
	}
	count = unwinder_calls(u, &thread, calls, 3, &whole);
	assert_int_equal(count, 3);
	assert_false(whole);
	assert_is_truth(&copy, calls, count, false);
	unwinder_free(u);
}

static void *descend_in_thread(void *context)
{
	descend(context, 1);
	return NULL;
}

static void knows_the_end_of_a_thread(void **state)
{
	static struct copy copy;
	struct unwinder_thread thread;
	uint64_t calls[CALLS];
	struct unwinder *u;
	pthread_t other;
	bool whole;
	size_t count;

	(void)state;
	assert_int_equal(pthread_create(&other, NULL, descend_in_thread, &copy), 0);
	pthread_join(other, NULL);
	thread = thread_of(&copy);
	u = unwinder_new(&space);
	count = unwinder_calls(u, &thread, calls, CALLS, &whole);
	assert_true(whole);
	assert_true(count > 2);
	assert_is_truth(&copy, calls, count, true);
	unwinder_free(u);
}

/* Of a shorter copy the first callers are right, and it is known that there are more. */
static void ends_where_the_copy_does(void **state)
{
	static struct copy copy;
	struct unwinder_thread thread;
	uint64_t calls[CALLS];
	struct unwinder *u;
	size_t count, before = 0, whole_count = 0;

	(void)state;
	descend(&copy, DEPTH);
	thread = thread_of(&copy);
	u = unwinder_new(&space);
	for (thread.stack_bytes = 0; thread.stack_bytes <= copy.bytes; thread.stack_bytes += 8) {
		bool whole;

		count = unwinder_calls(u, &thread, calls, CALLS, &whole);
		assert_is_truth(&copy, calls, count, whole);
		assert_true(count >= before);
		before = count;
		whole_count += whole;
	}
	assert_true(whole_count > 0);
	assert_true(whole_count < copy.bytes / 8);
	unwinder_free(u);
}

static bool nothing_at(void *context, uint64_t address, struct unwinder_mapping *out)
{
	(void)context;
	(void)address;
	(void)out;
	return false;
}

static bool no_program_at(void *context, uint64_t address, struct unwinder_mapping *out)
{
	*out = (struct unwinder_mapping){context, address & ~UINT64_C(4095), 0};
	return true;
}

static void knows_nothing_without_files(void **state)
{
	char text[] = "/etc/passwd", none[] = "/nonexistent";
	const struct unwinder_space spaces[] = {
		{nothing_at, NULL}, {no_program_at, text}, {no_program_at, none}};
	static struct copy copy;
	struct unwinder_thread thread;
	uint64_t calls[CALLS];
	bool whole;

	(void)state;
	descend(&copy, DEPTH);
	thread = thread_of(&copy);
	for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
		struct unwinder *u = unwinder_new(&spaces[i]);

		assert_int_equal(unwinder_calls(u, &thread, calls, CALLS, &whole), 0);
		assert_false(whole);
		unwinder_free(u);
	}
	unwinder_free(NULL);
}

/* Of a mapping of the program, as far as its file does not reach. */
static bool longer_at(void *context, uint64_t address, struct unwinder_mapping *out)
{
	return mapping_at(context, address == BEYOND ? (uintptr_t)take_copy : address, out);
}

/* What libdwfl has given back is another's. */
static void reuse_memory(void *blocks[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		blocks[i] = malloc(i * 8);
		memset(blocks[i], 0xa5, i * 8);
	}
}

/* What is not in the file is nobody's; the file's own calls are found before and after. */
static void outlives_a_mapping_longer_than_its_file(void **state)
{
	const struct unwinder_space longer = {longer_at, NULL};
	static struct copy copy;
	static void *blocks[256];
	struct unwinder_thread thread;
	uint64_t calls[CALLS], pc;
	struct unwinder *u;
	bool whole;

	(void)state;
	descend(&copy, DEPTH);
	thread = thread_of(&copy);
	u = unwinder_new(&longer);
	assert_is_truth(&copy, calls, unwinder_calls(u, &thread, calls, CALLS, &whole), true);
	pc = copy.registers[PC];
	copy.registers[PC] = BEYOND;
	assert_int_equal(unwinder_calls(u, &thread, calls, CALLS, &whole), 0);
	reuse_memory(blocks, 256);
	copy.registers[PC] = pc;
	assert_is_truth(&copy, calls, unwinder_calls(u, &thread, calls, CALLS, &whole), true);
	for (size_t i = 0; i < 256; i++)
		free(blocks[i]);
	unwinder_free(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_all_callers),
		cmocka_unit_test(knows_the_end_of_a_thread),
		cmocka_unit_test(ends_where_the_copy_does),
		cmocka_unit_test(knows_nothing_without_files),
		cmocka_unit_test(outlives_a_mapping_longer_than_its_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
