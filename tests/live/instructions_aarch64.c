/* SPDX-License-Identifier: MIT */
/*
 * instructions_aarch64 [ENCODINGS [INPUTS [SEED]]]: evaluation of AArch64 against the machine that
 * this runs on, an AArch64 one or qemu-user.
 *
 * Each class of instructions is a word with free bits. Random words of it are run with random
 * registers and memory, and evaluated from the same: once with everything known, where nothing may
 * come out wrong and nothing unknown but where the class says so, and once with random bits made
 * unknown, where no bit that is claimed may be wrong. Words that the machine refuses (SIGILL,
 * SIGSEGV) do not count. Ends with 1 if anything was wrong, or if a class had too few words.
 */
#include <elf.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/live/instructions_aarch64.h"
#include "tests/snapshot.h"

#define WORDS_MAX    2u
#define WINDOW_BYTES 1024u
#define REGION_BYTES (UINT64_C(1) << 20)
#define STACK_BYTES  65536u
#define REPORTS_MAX  3u /* of a class */

/* What the trampoline loads and saves; its offsets are in the assembly below. */
struct context {
	uint64_t x[31], sp, nzcv, taken, host_sp, host_thread_pointer;
	union aarch64_vector vector[32];
};

/* Two pages, which are copied to where they may be written: code, and the context. */
extern const uint8_t trampoline_begin[], trampoline_word[], trampoline_taken[];
#define CODE_BYTES 4096u

static struct {
	void (*run)(void);
	uint32_t *word, *taken;
	struct context *context;
} trampoline;

#define OFFSET_NZCV   "256"
#define OFFSET_SP     "248"
#define OFFSET_TAKEN  "264"
#define OFFSET_HOST   "272"
#define OFFSET_VECTOR "288"
_Static_assert(offsetof(struct context, sp) == 248 && offsetof(struct context, nzcv) == 256 &&
		       offsetof(struct context, taken) == 264 &&
		       offsetof(struct context, host_sp) == 272 &&
		       offsetof(struct context, vector) == 288,
	       "must match the assembly");

#define PAIRS(what)                                                          \
	what " x2, x3, [x30, #16]\n" what " x4, x5, [x30, #32]\n" what       \
	     " x6, x7, [x30, #48]\n" what " x8, x9, [x30, #64]\n" what       \
	     " x10, x11, [x30, #80]\n" what " x12, x13, [x30, #96]\n" what   \
	     " x14, x15, [x30, #112]\n" what " x16, x17, [x30, #128]\n" what \
	     " x18, x19, [x30, #144]\n" what " x20, x21, [x30, #160]\n" what \
	     " x22, x23, [x30, #176]\n" what " x24, x25, [x30, #192]\n" what \
	     " x26, x27, [x30, #208]\n" what " x28, x29, [x30, #224]\n"
#define VECTORS(what)                                                                      \
	what " {v0.16b-v3.16b}, [x0], #64\n" what " {v4.16b-v7.16b}, [x0], #64\n" what     \
	     " {v8.16b-v11.16b}, [x0], #64\n" what " {v12.16b-v15.16b}, [x0], #64\n" what  \
	     " {v16.16b-v19.16b}, [x0], #64\n" what " {v20.16b-v23.16b}, [x0], #64\n" what \
	     " {v24.16b-v27.16b}, [x0], #64\n" what " {v28.16b-v31.16b}, [x0], #64\n"
#define PUSHED(what)                                                       \
	what " x19, x20, [sp, #16]\n" what " x21, x22, [sp, #32]\n" what   \
	     " x23, x24, [sp, #48]\n" what " x25, x26, [sp, #64]\n" what   \
	     " x27, x28, [sp, #80]\n" what " d8, d9, [sp, #96]\n" what     \
	     " d10, d11, [sp, #112]\n" what " d12, d13, [sp, #128]\n" what \
	     " d14, d15, [sp, #144]\n"

/* The last register is loaded by its distance from the code, and the first one freed through the
 * thread pointer, which is put back. */
__asm__(".pushsection .rodata\n"
	".globl trampoline_begin, trampoline_word, trampoline_taken\n"
	".balign 4096\n"
	"trampoline_begin:\n"
	"stp x29, x30, [sp, #-160]!\n" PUSHED(
		"stp") "adr x30, trampoline_context\n"
		       "mov x0, sp\n"
		       "mrs x1, tpidr_el0\n"
		       "stp x0, x1, [x30, #" OFFSET_HOST "]\n"
		       "ldr x0, [x30, #" OFFSET_NZCV "]\n"
		       "msr nzcv, x0\n"
		       "ldr x0, [x30, #" OFFSET_SP "]\n"
		       "mov sp, x0\n"
		       "add x0, x30, #" OFFSET_VECTOR "\n" VECTORS(
			       "ld1") "clrex\n"
				      "ldp x0, x1, [x30]\n" PAIRS(
					      "ldp") "ldr x30, trampoline_context + 240\n"
						     "trampoline_word:\n"
						     "nop; nop; nop\n"
						     "msr tpidr_el0, x30\n"
						     "adr x30, trampoline_context\n"
						     "stp x0, x1, [x30]\n"
						     "mov x0, #0\n"
						     "b trampoline_save\n"
						     "trampoline_taken:\n"
						     "msr tpidr_el0, x30\n"
						     "adr x30, trampoline_context\n"
						     "stp x0, x1, [x30]\n"
						     "mov x0, #1\n"
						     "trampoline_save:\n"
						     "str x0, [x30, #" OFFSET_TAKEN "]\n" PAIRS(
							     "stp") "mrs x0, tpidr_el0\n"
								    "str x0, [x30, #240]\n"
								    "mrs x0, nzcv\n"
								    "str x0, [x30, #" OFFSET_NZCV
								    "]\n"
								    "mov x0, sp\n"
								    "str x0, [x30, #" OFFSET_SP
								    "]\n"
								    "add x0, x30, #" OFFSET_VECTOR
								    "\n" VECTORS(
									    "st1") "ldp x0, x1, [x30, #" OFFSET_HOST
										   "]\n"
										   "mov sp, x0\n"
										   "msr tpidr_el0, x1\n" PUSHED(
											   "ldp") "ldp x29, x30, [sp], #160\n"
												  "ret\n"
												  ".balign 4096\n"
												  "trampoline_context: .skip 4096\n"
												  ".popsection\n");

static uint8_t *region; /* memory that instructions access */
static uint8_t *window; /* its middle, compared whole */
static uint8_t before[WINDOW_BYTES];
static struct isa_state state, real;
static sigjmp_buf refused;
static uint64_t seed;
static unsigned reports;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * UINT64_C(0x2545f4914f6cdd1d);
}

static unsigned below(unsigned limit)
{
	return (unsigned)((any() >> 32) % limit);
}

static void on_signal(int number)
{
	siglongjmp(refused, number);
}

static bool read_memory(void *context, uint64_t address, void *out, size_t bytes)
{
	(void)context;
	memcpy(out, (const void *)address, bytes);
	return true;
}

static const struct isa_memory memory = {.read = read_memory};

static void set_up(void)
{
	static uint8_t stack[STACK_BYTES];
	const int signals[] = {SIGILL, SIGSEGV, SIGBUS, SIGTRAP};
	const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	uint8_t *code;
	const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	sigaltstack(&alternate, NULL);
	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	code = mmap(NULL, 2 * CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	memcpy(code, trampoline_begin, 2 * CODE_BYTES);
	trampoline.run = (void (*)(void))code;
	trampoline.word = (uint32_t *)(code + (trampoline_word - trampoline_begin));
	trampoline.taken = (uint32_t *)(code + (trampoline_taken - trampoline_begin));
	trampoline.context = (struct context *)(code + CODE_BYTES);
	region = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	window = region + REGION_BYTES / 2;
	for (size_t i = 0; i < REGION_BYTES; i += 8) {
		uint64_t word = any();

		memcpy(region + i, &word, 8);
	}
}

/* Numbers as programs have them, and those at which something changes. */
static uint64_t any_number(void)
{
	static const uint64_t edges[] = {
		0,	    1,	       UINT64_MAX, INT64_MAX,	       (uint64_t)INT64_MIN,
		UINT32_MAX, INT32_MAX, 0x80000000, 0xffffffff80000000,
	};

	switch (below(8)) {
	case 0:
		return edges[below(sizeof(edges) / sizeof(edges[0]))];
	case 1:
		return below(256);
	case 2:
		return -(uint64_t)below(256);
	case 3:
		return any() >> below(64);
	case 4:
		return (uint64_t)(uintptr_t)window + below(WINDOW_BYTES);
	}
	return any();
}

/* Floating-point numbers as well, which random bits rarely are. */
static uint64_t any_vector_part(void)
{
	static const double numbers[] = {0.0, -0.0, 1.0, -1.5, 2.5, 1e10, -1e300, 1e-310, 65535.5};
	double d = numbers[below(sizeof(numbers) / sizeof(numbers[0]))];
	float pair[2] = {(float)d, (float)(int)below(2000) / 16.0f - 50.0f};
	uint64_t bits;

	switch (below(8)) {
	case 0:
		memcpy(&bits, &d, 8);
		return bits;
	case 1:
		memcpy(&bits, pair, 8);
		return bits;
	case 2:
		d = (double)(int64_t)any() / (double)(UINT64_C(1) << below(63));
		memcpy(&bits, &d, 8);
		return bits;
	case 3: /* text with its end */
		return any() & (UINT64_C(0xff7fff00ffffffff) >> below(32));
	case 4:
		return (any() & 1) * UINT64_C(0xff00ffffffff0000) * (any() & 0x101);
	}
	return any_number();
}

static void set_inputs(struct context *c, const struct test_class *class, const uint32_t *words)
{
	unsigned base = words[0] >> 5 & 31, index = words[0] >> 16 & 31;

	for (unsigned i = 0; i < 31; i++)
		c->x[i] = any_number();
	if (below(4) == 0)
		c->x[below(31)] = c->x[below(31)];
	c->sp = (uint64_t)(uintptr_t)window + below(WINDOW_BYTES / 2) / 16 * 16 + 256;
	c->nzcv = (uint64_t)below(16) << AARCH64_PSTATE_SHIFT;
	for (unsigned i = 0; i < 64; i++)
		c->vector[i / 2].u64[i % 2] = any_vector_part();
	if (class->shape & TEST_TARGET && base < 31)
		c->x[base] = (uint64_t)(uintptr_t)trampoline.taken;
	if (class->shape & TEST_POINTER) {
		if ((words[0] & 31) < 31)
			c->x[words[0] & 31] = (uint64_t)(uintptr_t)window + below(WINDOW_BYTES);
		c->x[30] = (uint64_t)(uintptr_t)window + below(WINDOW_BYTES);
		c->x[17] = (uint64_t)(uintptr_t)window + below(WINDOW_BYTES);
	}
	if (!(class->shape & TEST_MEMORY))
		return;
	if (class->shape & TEST_INDEXED && index < 31)
		c->x[index] = below(128) - 64u * (c->x[index] & 1);
	if (class->shape & TEST_ZEROES)
		base = words[0] & 31;
	if (base < 31) {
		c->x[base] = (uint64_t)(uintptr_t)window + WINDOW_BYTES / 2 + below(64);
		if (below(4) || class->shape & TEST_ALIGNED)
			c->x[base] &= ~UINT64_C(15);
		c->x[base] -= test_offset(class, words[0]);
		if (below(4) == 0) /* a tag */
			c->x[base] |= (uint64_t)below(256) << 56;
	} else {
		c->sp -= test_offset(class, words[0]) & ~UINT64_C(15);
	}
}

static void load_state(struct isa_state *s, const struct context *c, uint64_t pc)
{
	struct snapshot from = {
		.sp = c->sp,
		.pc = pc,
		.pstate = c->nzcv,
		.pointer_bits = 48,
		.sve_bytes = test_sve_bytes(),
	};

	memcpy(from.x, c->x, sizeof(from.x));
	memcpy(from.vector, c->vector, sizeof(from.vector));
	__asm__("mrs %0, tpidr_el0" : "=r"(from.thread_pointer));
	__asm__("mrs %0, ctr_el0" : "=r"(from.cache_type));
	__asm__("mrs %0, dczid_el0" : "=r"(from.zero_block));
	__asm__("mrs %0, fpcr" : "=r"(from.fpcr));
	snapshot_load(s, &from);
}

static uint64_t some_bits(void)
{
	switch (below(4)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX << below(64);
	case 2:
		return any();
	}
	return any() | any() | any();
}

/* Forget some of what is known of registers and of memory. */
static void forget_some(struct isa_state *s)
{
	for (unsigned i = 0; i < 32; i++) {
		if (below(4) == 0) {
			s->gpr_known[i] = some_bits();
			s->gpr[i] &= s->gpr_known[i];
		}
		if (below(8) == 0) {
			unsigned lane = below(2);

			s->vector_known[i] &= (uint8_t) ~(1u << lane);
			s->vector[i].u64[lane] = 0;
		}
	}
	if (below(2)) {
		s->flags_known = (uint8_t)below(16);
		s->flags &= s->flags_known;
	}
	for (unsigned i = 0; i < 4; i++) {
		uint64_t at = (uint64_t)(uintptr_t)window + WINDOW_BYTES / 2 + below(16) * 8;
		struct isa_value v = {0, some_bits()};

		memcpy(&v.bits, (const void *)at, 8);
		v.bits &= v.known;
		isa_shadow_store(&s->shadow, at, 8, v);
	}
}

static bool is_all_known(const struct isa_state *s)
{
	for (unsigned i = 0; i < 32; i++) {
		if (s->gpr_known[i] != UINT64_MAX || s->vector_known[i] != AARCH64_VECTOR_KNOWN)
			return false;
	}
	return s->flags_known == AARCH64_NZCV && !s->shadow.memory_unknown;
}

static void evaluate_words(struct isa_state *s, const uint32_t *words, unsigned count,
			   enum isa_outcome *outcome)
{
	uint64_t pc = isa_state_pc(s);

	*outcome = ISA_NEXT;
	for (unsigned i = 0; i < count && *outcome == ISA_NEXT; i++) {
		struct isa_record r;

		isa_record_decode((const uint8_t *)&words[i], 4, pc + i * 4, &r);
		*outcome = isa_evaluate(&r, s, &memory);
	}
}

static void report(const char *what, const struct test_class *class, const uint32_t *words)
{
	if (reports++ >= REPORTS_MAX)
		return;
	printf("%s: %08x", class->name, words[0]);
	for (unsigned i = 1; i < test_word_count(class); i++)
		printf(" %08x", words[i]);
	printf(": %s\n", what);
}

/* What was written is what the machine wrote, and nothing else was. */
static bool memory_agrees(const struct isa_state *s)
{
	for (unsigned i = 0; i < s->shadow.words; i++) {
		const struct isa_shadow_word *w = &s->shadow.word[i];
		uint64_t now;

		memcpy(&now, (const void *)w->address, 8);
		for (unsigned byte = 0; byte < 8; byte++) {
			uint64_t mask = UINT64_C(0xff) << byte * 8;

			if (w->written >> byte & 1 && ((now ^ w->bits) & w->known & mask))
				return false;
		}
	}
	if (s->shadow.memory_unknown || !memcmp(before, window, WINDOW_BYTES))
		return true;
	for (unsigned i = 0; i < WINDOW_BYTES; i++) {
		if (before[i] != window[i] &&
		    !isa_shadow_wrote(&s->shadow, (uint64_t)(uintptr_t)(window + i) & ~UINT64_C(7),
				      UINT32_MAX))
			return false;
	}
	return true;
}

static bool check(const struct isa_state *s, enum isa_outcome outcome,
		  const struct test_class *class, const uint32_t *words, bool all_known)
{
	struct isa_difference d;
	char text[200];

	if (outcome == ISA_UNRESOLVED || outcome == ISA_UNMODELLED) {
		if (!all_known || class->shape & TEST_STOPS)
			return true;
		report(isa_state_cause(s), class, words);
		return false;
	}
	if (!isa_state_compare(s, &real, &d)) {
		snprintf(text, sizeof(text),
			 "%s %u is %" PRIx64 ", not %" PRIx64 " (known %" PRIx64 ")%s", d.kind,
			 d.number, d.real, d.claimed, d.known, all_known ? "" : ", partly known");
		report(text, class, words);
		return false;
	}
	if (!memory_agrees(s)) {
		report(all_known ? "memory" : "memory, partly known", class, words);
		return false;
	}
	if (all_known && !(class->shape & TEST_FORGETS) && !is_all_known(s)) {
		report("something is unknown", class, words);
		return false;
	}
	return true;
}

/* -1: the machine refuses; else whether all was right. */
static int test_input(const struct test_class *class, const uint32_t *words)
{
	static struct isa_state partly;
	struct context c;
	enum isa_outcome outcome, outcome_partly;
	volatile uint64_t pc = (uint64_t)(uintptr_t)trampoline.word;

	set_inputs(&c, class, words);
	memcpy(before, window, WINDOW_BYTES);
	load_state(&state, &c, pc);
	load_state(&partly, &c, pc);
	forget_some(&partly);
	*trampoline.context = c;
	if (sigsetjmp(refused, 1) == 0) {
		evaluate_words(&state, words, test_word_count(class), &outcome);
		evaluate_words(&partly, words, test_word_count(class), &outcome_partly);
		trampoline.run();
	} else {
		memcpy(window, before, WINDOW_BYTES);
		return -1;
	}
	pc += test_word_count(class) * 4;
	if (trampoline.context->taken)
		pc = (uint64_t)(uintptr_t)trampoline.taken;
	load_state(&real, trampoline.context, pc);
	return check(&state, outcome, class, words, true) &
	       check(&partly, outcome_partly, class, words, false);
}

/* Not writable and executable at once: qemu-user would miss what changes. */
static void place_words(const uint32_t *words, unsigned count)
{
	uint8_t *code = (uint8_t *)trampoline.context - CODE_BYTES;

	mprotect(code, CODE_BYTES, PROT_READ | PROT_WRITE);
	for (unsigned i = 0; i <= WORDS_MAX; i++)
		trampoline.word[i] = i < count ? words[i] : 0xd503201f;
	mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC);
	__builtin___clear_cache((char *)trampoline.word, (char *)(trampoline.word + WORDS_MAX + 1));
}

/* Words that were run, of as many as asked for; *wrong counts inputs. */
static unsigned test_class(const struct test_class *class, unsigned encodings, unsigned inputs,
			   unsigned *wrong)
{
	ptrdiff_t distance = trampoline.taken - trampoline.word;
	unsigned run = 0;

	reports = 0;
	for (unsigned tries = 0; run < encodings && tries < 16 * encodings; tries++) {
		uint32_t words[WORDS_MAX];
		bool ran = false;

		test_words(class, any(), (uint32_t)distance, words);
		if (test_is_unpredictable(words))
			continue;
		place_words(words, test_word_count(class));
		for (unsigned i = 0; i < inputs; i++) {
			int right = test_input(class, words);

			if (right < 0)
				continue;
			ran = true;
			*wrong += !right;
		}
		run += ran;
	}
	return run;
}

static unsigned argument(int argc, char **argv, int number, unsigned otherwise)
{
	return argc > number ? (unsigned)strtoul(argv[number], NULL, 0) : otherwise;
}

/* Words of a class, if of each class there are @each; fewer where there are no more. */
static unsigned wanted_of(const struct test_class *class, unsigned each)
{
	return class->most && class->most < each ? class->most : each;
}

/* Of each class as many that there are @encodings in all. */
static unsigned share_of(unsigned encodings)
{
	unsigned each = encodings / test_class_count, all = 0;

	while (all < encodings) {
		each++;
		all = 0;
		for (unsigned i = 0; i < test_class_count; i++)
			all += wanted_of(&test_classes[i], each);
	}
	return each;
}

int main(int argc, char **argv)
{
	unsigned encodings = argument(argc, argv, 1, 100000), inputs = argument(argc, argv, 2, 32);
	unsigned each = share_of(encodings), total = 0, wrong = 0, few = 0;

	seed = argument(argc, argv, 3, 1) * UINT64_C(0x9e3779b97f4a7c15);
	setvbuf(stdout, NULL, _IOLBF, 0);
	set_up();
	for (unsigned i = 0; i < test_class_count; i++) {
		const struct test_class *class = &test_classes[i];
		unsigned wanted = wanted_of(class, each);
		unsigned of_class = 0, run = test_class(class, wanted, inputs, &of_class);

		if (of_class || run < wanted)
			printf("%-24s %6u encodings of %u, %u inputs wrong\n", class->name, run,
			       wanted, of_class);
		few += run < wanted;
		total += run;
		wrong += of_class;
	}
	printf("%u encodings of %u classes x %u inputs, known and partly known: %u wrong\n", total,
	       test_class_count, inputs, wrong);
	if (total < encodings)
		printf("%u encodings were wanted\n", encodings);
	return wrong || few || total < encodings;
}
