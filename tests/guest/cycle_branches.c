/* SPDX-License-Identifier: MIT */
/*
 * cycle_branches BEGIN PROGRAM ARGUMENT...: run the program by single steps and print its taken
 * branches, "FROM TO" in hexadecimal, from the second time that it is at BEGIN (hexadecimal) up to
 * the third. A step over an exclusive makes its store fail, for ever: from a load-exclusive on, a
 * breakpoint is set behind the store and the branch that tries again.
 */
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define BREAK UINT32_C(0xd4200000)
#define MOST  64u /* instructions from a load-exclusive to the store and the branch behind it */

static pid_t child;

static uint32_t word_at(uint64_t address)
{
	return (uint32_t)ptrace(PTRACE_PEEKTEXT, child, (void *)address, NULL);
}

static void set_word(uint64_t address, uint32_t word)
{
	uint64_t both = (uint64_t)ptrace(PTRACE_PEEKTEXT, child, (void *)address, NULL);

	ptrace(PTRACE_POKETEXT, child, (void *)address,
	       (void *)((both & ~UINT64_C(0xffffffff)) | word));
}

static uint64_t pc(void)
{
	struct user_regs_struct r;
	struct iovec v = {&r, sizeof(r)};

	if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &v))
		exit(1);
	return r.pc;
}

static void wait_for_stop(void)
{
	int status;

	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
		fprintf(stderr, "the program has ended\n");
		exit(1);
	}
}

static int is_load_exclusive(uint32_t word)
{
	return (word & 0x3fe00000) == 0x08400000 || (word & 0xbfe00000) == 0x88600000;
}

static int is_store_exclusive(uint32_t word)
{
	return (word & 0x3fe00000) == 0x08000000 || (word & 0xbfe00000) == 0x88200000;
}

/* Of a loop that tries until the store succeeds, as outline atomics have it. */
static void pass_exclusive(uint64_t address)
{
	uint64_t end = address;
	uint32_t kept;

	while (!is_store_exclusive(word_at(end)) && end < address + MOST * 4)
		end += 4;
	end += 8; /* the store, and cbnz */
	kept = word_at(end);
	set_word(end, BREAK);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	wait_for_stop();
	set_word(end, kept);
}

int main(int argc, char **argv)
{
	uint64_t begin, at;
	int times = 0;

	if (argc < 3)
		return 2;
	begin = strtoull(argv[1], NULL, 16);
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	wait_for_stop();
	while (times < 3) {
		uint32_t kept;

		at = pc();
		if (at == begin && ++times == 3)
			break;
		if (times == 2 && is_load_exclusive(word_at(at))) {
			pass_exclusive(at);
			continue;
		}
		if (times < 2) { /* up to the second time */
			kept = word_at(begin);
			if (at == begin) {
				ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
				wait_for_stop();
			}
			set_word(begin, BREAK);
			ptrace(PTRACE_CONT, child, NULL, NULL);
			wait_for_stop();
			set_word(begin, kept);
			continue;
		}
		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
		wait_for_stop();
		if (pc() != at + 4)
			printf("%" PRIx64 " %" PRIx64 "\n", at, pc());
	}
	kill(child, SIGKILL);
	return 0;
}
