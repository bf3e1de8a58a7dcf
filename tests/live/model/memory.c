/* SPDX-License-Identifier: MIT */
/* Steps about memory: places that are mapped, filled, protected, moved; code that is made. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model.h"

#define PLACES 8
#define PAGE   4096u

static struct place {
	uint8_t *at;
	size_t pages;
	int protection;
	bool shared;
	bool lazy;  /* what is in it is not known */
	bool stays; /* a child does not have it: what it finds there is another's */
} places[PLACES];

void memory_after_fork(void)
{
	for (size_t i = 0; i < PLACES; i++)
		if (places[i].stays)
			places[i].at = NULL;
}

static uint64_t sum_of(const struct place *p)
{
	uint64_t sum = 0;

	if (!(p->protection & PROT_READ) || p->lazy)
		return 0;
	for (size_t i = 0; i < p->pages * PAGE; i += 61)
		sum = sum * 31 + p->at[i];
	return sum;
}

static struct place *any(struct dice *d)
{
	struct place *p = &places[dice_below(d, PLACES)];

	if (p->at)
		return p;
	p->pages = 1 + dice_below(d, 40);
	p->protection = PROT_READ | PROT_WRITE;
	p->lazy = p->stays = false;
	p->shared = dice_one_in(d, 4);
	p->at = mmap(NULL, p->pages * PAGE, p->protection,
		     MAP_ANONYMOUS | (p->shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
	journey_result(p->at == MAP_FAILED ? -1 : 0, "mmap %zu", p->pages);
	if (p->at == MAP_FAILED)
		p->at = NULL;
	return p->at ? p : NULL;
}

static void fill(struct dice *d)
{
	struct place *p = any(d);
	uint32_t with = dice_below(d, 256);

	if (!p)
		return;
	if (p->protection & PROT_WRITE) {
		for (size_t i = 0; i < p->pages * PAGE; i++)
			p->at[i] = (uint8_t)(with + i * 7 + (i >> 12));
		p->lazy = false;
	}
	journey_say("filled: %lx", sum_of(p));
}

static void unmap(struct dice *d)
{
	struct place *p = any(d);

	if (!p)
		return;
	journey_say("has %lx", sum_of(p));
	journey_result(munmap(p->at, p->pages * PAGE), "munmap");
	p->at = NULL;
}

static void protect(struct dice *d)
{
	static const int kinds[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
				    PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC};
	struct place *p = any(d);
	int protection = kinds[dice_below(d, 5)];

	if (!p)
		return;
	journey_result(mprotect(p->at, p->pages * PAGE, protection), "mprotect %d", protection);
	p->protection = protection;
	journey_say("has %lx", sum_of(p));
}

static void advise(struct dice *d)
{
	static const int kinds[] = {MADV_DONTNEED, MADV_FREE,	    MADV_WILLNEED, MADV_RANDOM,
				    MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTFORK, MADV_DOFORK};
	struct place *p = any(d);
	int kind = kinds[dice_below(d, 8)], rc;

	if (!p)
		return;
	rc = madvise(p->at, p->pages * PAGE, kind);
	if (kind == MADV_HUGEPAGE || kind == MADV_NOHUGEPAGE) /* the kernel may be without */
		rc = 0;
	journey_result(rc, "madvise %d", kind);
	p->lazy |= kind == MADV_FREE;
	p->stays = kind == MADV_DONTFORK || (p->stays && kind != MADV_DOFORK);
	journey_say("has %lx", sum_of(p));
}

static void move(struct dice *d)
{
	struct place *p = any(d);
	size_t pages = 1 + dice_below(d, 60);
	void *moved;

	/* what is beyond the end of memory that is shared is not there */
	if (!p || (p->shared && pages > p->pages))
		return;
	moved = mremap(p->at, p->pages * PAGE, pages * PAGE, MREMAP_MAYMOVE);
	journey_result(moved == MAP_FAILED ? -1 : 0, "mremap %zu to %zu", p->pages, pages);
	if (moved == MAP_FAILED)
		return;
	p->at = moved;
	p->pages = pages;
	journey_say("has %lx", sum_of(p));
}

static void lock(struct dice *d)
{
	struct place *p = any(d);

	if (!p || p->lazy || !(p->protection & PROT_READ))
		return;
	journey_result(mlock(p->at, p->pages * PAGE), "mlock");
	journey_result(munlock(p->at, p->pages * PAGE), "munlock");
	journey_result(msync(p->at, p->pages * PAGE, MS_SYNC), "msync");
}

static void grow(struct dice *d)
{
	intptr_t by = (intptr_t)(1 + dice_below(d, 4)) * PAGE;
	uint8_t *before = sbrk(by), *after = sbrk(0);

	journey_say("sbrk: %s by %ld", before == (void *)-1 ? "failed" : "grew",
		    (long)(after - before));
	if (before == (void *)-1)
		return;
	memset(before, 1, (size_t)by);
	after = sbrk(-by);
	journey_say("sbrk: back by %ld", (long)(after - (uint8_t *)sbrk(0)));
}

/* mov $value, %eax; ret */
static void write_code(uint8_t *at, uint32_t value)
{
	at[0] = 0xb8;
	memcpy(at + 1, &value, 4);
	at[5] = 0xc3;
}

static void make_code(struct dice *d)
{
	bool writable = dice_one_in(d, 2);
	int protection = PROT_READ | PROT_WRITE | (writable ? PROT_EXEC : 0);
	uint8_t *at = mmap(NULL, PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t (*code)(void) = (uint32_t(*)(void))(uintptr_t)at;
	uint64_t sum = 0;

	if (at == MAP_FAILED)
		return;
	for (uint32_t round = 0; round < 5; round++) {
		if (!writable)
			mprotect(at, PAGE, PROT_READ | PROT_WRITE);
		write_code(at, dice_below(d, 1000));
		if (!writable)
			mprotect(at, PAGE, PROT_READ | PROT_EXEC);
		for (unsigned i = 0; i < 4000; i++)
			sum = sum * 3 + code();
	}
	munmap(at, PAGE);
	journey_say("made code: %lx", sum);
}

const struct step memory_steps[] = {
	{"fill", 5, fill},	{"munmap", 3, unmap},	{"mprotect", 4, protect},
	{"madvise", 3, advise}, {"mremap", 3, move},	{"mlock", 2, lock},
	{"sbrk", 1, grow},	{"code", 2, make_code}, {NULL, 0, NULL},
};
