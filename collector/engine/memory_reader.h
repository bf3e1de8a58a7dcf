/* SPDX-License-Identifier: MIT */
/*
 * Reading the profiled program's memory from a signal handler without ever faulting.
 *
 * The kernel is asked once per page and handler run. MEMORY_READV copies the whole page then
 * (process_vm_readv, 0.8 to 1.5 us), so that no other thread can take it away. MEMORY_PROBE only
 * asks whether it is readable and loads plainly afterwards: a page that is met first by a call
 * that refuses what is a device's too (0.5 us), from then on by the cheapest system call that reads
 * user memory (0.14 us). That is sound only while nobody else can unmap in between, so each handler
 * run asks the kernel whether this thread has the memory to itself, and copies if not.
 *
 * A page may have a protection key (pkeys(7)). Handlers run with key 0 alone, whatever the program
 * may do itself (arch/x86/kernel/fpu/core.c: fpu__clear_user_states), so loads of ours would fault
 * where the program's do not. The cheap call is refused as they would be, process_vm_readv is not:
 * such a page is copied.
 */
#pragma once

#include "collector/engine/cache_lines.h"
#include "isa/evaluate.h"

enum memory_reader_mode {
	MEMORY_PROBE,
	MEMORY_READV,
};

#define MEMORY_PAGE ISA_PAGE
/* Remembered in one handler run, direct mapped: a long trace reads hundreds. Where pages are
 * copied, those with the same place for a copy are copied again: places by default. */
#define MEMORY_PAGES  512u
#define MEMORY_COPIES 64u

#define MEMORY_KNOWN 4096u
/* Of them, where the first ones are remembered: all that a short process meets, in one page. */
#define MEMORY_KNOWN_FIRST 512u

enum memory_way {
	MEMORY_UNREADABLE,
	MEMORY_IN_PLACE,
	MEMORY_COPIED,
};

struct memory_page {
	uint64_t number; /* address / MEMORY_PAGE */
	uint32_t run;	 /* the handler run that asked */
	enum memory_way way;
};

/* Pages of this process that were found to be ordinary memory; shared by its threads, lives as
 * long. */
struct memory_known {
	/* Each at one of two places: the first, or, where that is taken, by all of its bits;
	 * atomic; 0 = none. */
	uint64_t numbers[MEMORY_KNOWN];
};

/* Pages of one call of copy_some: a stack of PERFDATA_STACK_BYTES_MAX. */
#define MEMORY_SOME_PAGES 17u

/* What is asked of the kernel, once a page. What can't be read is no fault. */
struct memory_source {
	/* Copy @bytes at @address of the process @pid; false if they are not all there. */
	bool (*copy)(uint64_t pid, uint64_t address, void *out, size_t bytes);
	/* Copy as many bytes from @address on as are there, of MEMORY_SOME_PAGES at most; how
	 * many. */
	size_t (*copy_some)(uint64_t pid, uint64_t address, void *out, size_t bytes);
	/* Is the page at @address ordinary memory of this process? A device's is not. */
	bool (*is_ordinary)(uint64_t address);
	/* May this process load the word at @address? */
	bool (*probe)(uint64_t address);
};

/* One thread's view of the memory; zeroed, then memory_reader_init. */
struct memory_reader {
	struct isa_memory memory; /* what evaluation reads through */
	struct memory_known *known;
	const struct memory_source *source;
	uint64_t pid;
	uint32_t run;
	bool copy; /* else probe */
	/* is a page there, so that reading it can't have to wait? NULL: of no concern */
	bool (*is_there)(void *context, uint64_t number);
	void *there;
	struct cache_lines *lines;		/* what is loaded is noted here, if not NULL */
	uint64_t slow_ticks;			/* of a line whose page is copied; 0: not timed */
	uint64_t asked;				/* pages asked for, in all runs */
	struct isa_window windows[ISA_WINDOWS]; /* of this run */
	struct memory_page pages[MEMORY_PAGES];
	unsigned places;	       /* of copies: a power of two, MEMORY_PAGES at most */
	uint16_t copied[MEMORY_PAGES]; /* which of the pages is there */
	uint8_t (*copies)[MEMORY_PAGE];
	uint8_t own[MEMORY_COPIES][MEMORY_PAGE]; /* places, if no others are lent */
	uint8_t fresh[MEMORY_PAGE];		 /* a copy to compare with */
};

const char *memory_reader_mode_text(enum memory_reader_mode mode);
/* For the memory of process @pid, which @source copies and probes (kernel/process_memory.h). */
void memory_reader_init(struct memory_reader *r, struct memory_known *known,
			const struct memory_source *source, uint64_t pid);
/* Where memory is no matter: as many places as there are pages, the caller's, at @copies. */
void memory_reader_lend(struct memory_reader *r, uint8_t (*copies)[MEMORY_PAGE]);
/* Files were mapped: a page may have become a device's. */
void memory_reader_forget_known(struct memory_known *known);
/* A handler run begins: what was asked before may have changed. @copy: somebody else may unmap what
 * is read. */
void memory_reader_begin(struct memory_reader *r, bool copy);
/* From now on tell of lines whose pages are copied, too, whether they were in the caches, by the
 * time that the kernel takes for the first word of a page: not if that is @more_ticks longer than
 * for one that is there. Only for this process's own memory. What was brought in can't be put out
 * again, as it may be unmapped. */
void memory_reader_time_lines(struct memory_reader *r, uint64_t more_ticks);

/* Copy the bytes from @address on, as far as they can be read and at most @bytes, of the process
 * that is read: how many. They are not noted as loaded. */
size_t memory_reader_copy(struct memory_reader *r, uint64_t address, void *out, size_t bytes);

/* Are the words that were loaded from copies in this run, as far as the copies are there yet and
 * r->lines has noted them, still the same? Else somebody writes them. */
bool memory_reader_is_unchanged(struct memory_reader *r);
