/* SPDX-License-Identifier: MIT */
/* in_kernel ROUNDS: system calls, each with a little work behind it; `behind` is where they return
 * to. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "busy.h"

static void call(void)
{
#if defined(__x86_64__)
	long number = SYS_getppid;

	__asm__ volatile("syscall\n"
			 ".globl behind\n"
			 "behind:"
			 : "+a"(number)
			 :
			 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long number __asm__("x8") = SYS_getppid;
	register long result __asm__("x0");

	__asm__ volatile("svc #0\n"
			 ".globl behind\n"
			 "behind:"
			 : "=r"(result)
			 : "r"(number)
			 : "memory");
#endif
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000000;
	uint64_t sum = 0;

	for (long i = 0; i < rounds; i++) {
		call();
		sum += work((uint64_t)i, 16);
	}
	return sum == 1;
}
