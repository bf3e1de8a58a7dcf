/* SPDX-License-Identifier: MIT */
/*
 * patched_code: two children execute one function, the second one behind a jump that it has
 * overwritten with nops, in memory that is mapped as before. Prints their numbers.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

void turn(uint64_t times);
extern uint8_t patch[];

__asm__(".text\n"
	".p2align 12\n"
	".globl turn, patch, other\n"
	".type turn, @function\n"
	"turn:\n"
	"patch:	.byte 0xeb, 0x02\n" /* jmp over the next one */
	"other:	jmp 1f\n"
	"1:	dec %rdi\n"
	"	jnz turn\n"
	"	ret\n"
	".size turn, . - turn\n"
	".p2align 12\n");

static void spin(void)
{
	for (;;)
		turn(1000000);
}

static int overwrite(void)
{
	int memory = open("/proc/self/mem", O_RDWR);

	return pwrite(memory, "\x90\x90", 2, (off_t)(uintptr_t)patch) != 2;
}

int main(void)
{
	pid_t children[2];

	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (!children[i]) {
			if (i && overwrite())
				return 1;
			spin();
		}
		printf("%d\n", (int)children[i]);
	}
	fflush(stdout);
	waitpid(children[0], NULL, 0);
	waitpid(children[1], NULL, 0);
	return 0;
}
