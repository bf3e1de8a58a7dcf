/* SPDX-License-Identifier: MIT */
/*
 * A restartable sequence written by hand, with branches in it: "section" tells of it in __rseq_cs,
 * "hidden" does not. Prints how often the kernel began it again; what it counts must be right.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
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

SEQUENCE(told, "__rseq_cs")
SEQUENCE(hidden, ".data.sequences")

int main(int argc, char **argv)
{
	int is_told = argc < 2 || !strcmp(argv[1], "section");
	uint64_t restarts = 0, rounds = 3000000;

	if (!__rseq_size) {
		printf("no rseq\n");
		return 77;
	}
	for (uint64_t i = 0; i < rounds; i++)
		if (is_told)
			told(i, &restarts);
		else
			hidden(i, &restarts);
	printf("%s restarts %llu\n", total == rounds ? "right" : "wrong",
	       (unsigned long long)restarts);
	return total != rounds;
}
