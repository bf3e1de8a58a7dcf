/* SPDX-License-Identifier: MIT */
/*
 * protected KIND: branches that are decided by memory which not everybody may read, for
 * protected.sh. Ends with 77 where the processor has no protection keys.
 *
 *	key	of a page with a protection key, which the thread may use
 *	turns	which it may use in turns
 *	later	which the page gets after half of the time
 *	none	of a page that is PROT_NONE in turns
 *	code	code that may be executed but not read
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define WORDS  512u
#define TURNS  400u
#define ROUNDS 60u

static uint64_t sum;

static __attribute__((noinline)) void walk(const volatile uint64_t *words)
{
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < WORDS; i++) {
			if (words[i] & 1)
				sum += words[i];
			else if (words[i] & 2)
				sum ^= i;
		}
}

static uint64_t *new_page(void)
{
	uint64_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	uint64_t seed = 1;

	if (page == MAP_FAILED)
		exit(1);
	for (unsigned i = 0; i < WORDS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		page[i] = seed >> 33;
	}
	return page;
}

static void walk_with_key(const char *kind)
{
	uint64_t *page = new_page();
	int key = pkey_alloc(0, 0);

	if (key < 0)
		exit(77);
	if (strcmp(kind, "later") && pkey_mprotect(page, 4096, PROT_READ | PROT_WRITE, key))
		exit(1);
	for (unsigned i = 0; i < TURNS; i++) {
		if (!strcmp(kind, "later") && i == TURNS / 2 &&
		    pkey_mprotect(page, 4096, PROT_READ | PROT_WRITE, key))
			exit(1);
		if (!strcmp(kind, "turns"))
			pkey_set(key, 0);
		walk(page);
		if (!strcmp(kind, "turns"))
			pkey_set(key, PKEY_DISABLE_ACCESS);
	}
}

static void walk_in_turns(void)
{
	uint64_t *page = new_page();

	for (unsigned i = 0; i < TURNS; i++) {
		mprotect(page, 4096, PROT_READ);
		walk(page);
		mprotect(page, 4096, PROT_NONE);
	}
}

/* lea (,%rdi,2), %rax; 1: dec %rdi; jnz 1b; ret */
static void run_unreadable(void)
{
	static const uint8_t code[] = {0x48, 0x8d, 0x04, 0x7d, 0,    0,	   0,
				       0,    0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
	uint64_t *page = new_page();
	uint64_t (*loop)(uint64_t) = (uint64_t(*)(uint64_t))(uintptr_t)page;

	memcpy(page, code, sizeof(code));
	if (mprotect(page, 4096, PROT_EXEC))
		exit(1);
	for (unsigned i = 0; i < TURNS; i++)
		sum += loop(ROUNDS * WORDS * 10);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	if (!strcmp(kind, "none"))
		walk_in_turns();
	else if (!strcmp(kind, "code"))
		run_unreadable();
	else
		walk_with_key(kind);
	printf("%s: %llx\n", kind, (unsigned long long)sum);
	return 0;
}
