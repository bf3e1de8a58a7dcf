/* SPDX-License-Identifier: MIT */
/*
 * restartable section|hidden|library FILE [ROUNDS]: a restartable sequence written by hand, with
 * branches in it: "section" tells of it in __rseq_cs, "hidden" does not, "library" is that of this
 * file built with -DLIBRARY, loaded after some time. Prints how often the kernel began it again,
 * and how often it let others run meanwhile, stops included; what it counts must be right.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/rseq.h>

static uint64_t total;

/* Add 1 to what @total holds behind 60 branches that depend on data, or nothing. */
#define SEQUENCE(name, section)                                                                   \
	static __attribute__((noinline)) void name(uint64_t seed, uint64_t *restarts)             \
	{                                                                                         \
		struct rseq *area = (void *)((char *)__builtin_thread_pointer() + __rseq_offset); \
		uint64_t value, count, mixed;                                                     \
                                                                                                  \
		__asm__ volatile(".pushsection " section ", \"aw\"\n"                             \
				 ".balign 32\n"                                                   \
				 "9: .long 0, 0\n"                                                \
				 "   .quad 1f, 2f - 1f, 4f\n"                                     \
				 ".popsection\n"                                                  \
				 "0: lea 9b(%%rip), %[value]\n"                                   \
				 "   mov %[value], %[cs]\n"                                       \
				 "1: mov %[seed], %[mixed]\n"                                     \
				 "   mov $60, %[count]\n"                                         \
				 "   mov %[total], %[value]\n"                                    \
				 "5: imul $0x5851f42d, %[mixed], %[mixed]\n"                      \
				 "   add $0x14057b7e, %[mixed]\n"                                 \
				 "   test $0x1000, %[mixed]\n"                                    \
				 "   jz 6f\n"                                                     \
				 "   xor %[count], %[mixed]\n"                                    \
				 "6: dec %[count]\n"                                              \
				 "   jnz 5b\n"                                                    \
				 "   inc %[value]\n"                                              \
				 "   mov %[value], %[total]\n"                                    \
				 "2: movq $0, %[cs]\n"                                            \
				 ".pushsection .text.restart, \"ax\"\n"                           \
				 "   .byte 0x0f, 0xb9, 0x3d\n"                                    \
				 "   .long 0x53053053\n" /* RSEQ_SIG */                           \
				 "4: incq %[restarts]\n"                                          \
				 "   jmp 0b\n"                                                    \
				 ".popsection\n"                                                  \
				 : [value] "=&r"(value), [count] "=&r"(count),                    \
				   [mixed] "=&r"(mixed), [total] "+m"(total),                     \
				   [restarts] "+m"(*restarts), [cs] "+m"(area->rseq_cs)           \
				 : [seed] "r"(seed)                                               \
				 : "memory", "cc");                                               \
	}

#ifdef LIBRARY

SEQUENCE(sequence, "__rseq_cs")

void library_run(uint64_t rounds, uint64_t *restarts, uint64_t *counted)
{
	for (uint64_t i = 0; i < rounds; i++)
		sequence(i, restarts);
	*counted = total;
}

#else

SEQUENCE(told, "__rseq_cs")
SEQUENCE(hidden, ".data.sequences")

static int run_library(const char *path, uint64_t rounds, uint64_t *restarts)
{
	void (*run)(uint64_t, uint64_t *, uint64_t *);
	uint64_t ignored = 0, before;
	void *handle;

	for (uint64_t i = 0; i < rounds / 4; i++)
		told(i, &ignored);
	before = total;
	handle = dlopen(path, RTLD_NOW);
	if (!handle)
		return 1;
	*(void **)&run = dlsym(handle, "library_run");
	run(rounds, restarts, &total);
	return before != rounds / 4 || dlclose(handle);
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "section";
	struct rusage usage;
	uint64_t restarts = 0, rounds = argc > 3 ? strtoull(argv[3], NULL, 10) : 3000000;

	if (!__rseq_size) {
		printf("no rseq\n");
		return 77;
	}
	if (!strcmp(part, "library")) {
		if (run_library(argv[2], rounds, &restarts))
			printf("not loaded: %s\n", dlerror());
	} else {
		for (uint64_t i = 0; i < rounds; i++)
			if (!strcmp(part, "section"))
				told(i, &restarts);
			else
				hidden(i, &restarts);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%s restarts %llu switches %ld\n", total == rounds ? "right" : "wrong",
	       (unsigned long long)restarts, usage.ru_nvcsw + usage.ru_nivcsw);
	return total != rounds;
}

#endif
