/* SPDX-License-Identifier: MIT */
/*
 * Programs that are not entered: the collector stays out of a process, or leaves it, where it would
 * change what the program does. Each is noted in the header of a process that is (of its parent,
 * or its own), by whoever decided it: before an exec, at its start, or when it changed later.
 */
#pragma once

#include <stdint.h>

/* Why; the order is of the file's layout: add at the end, and to exclusion_text. */
enum exclusion {
	EXCLUSION_NONE,
	EXCLUSION_STATIC, /* no dynamic linker, nothing preloads */
	EXCLUSION_32_BIT,
	EXCLUSION_LIBC,	       /* a libc other than glibc */
	EXCLUSION_GO,	       /* a Go runtime: it wants all signals on its own stacks */
	EXCLUSION_SANITIZER,   /* clang's ThreadSanitizer; AddressSanitizer's library */
	EXCLUSION_PRIVILEGED,  /* setuid, setgid, file capabilities: nothing is preloaded */
	EXCLUSION_SECCOMP,     /* a system call filter: our calls would be its violations */
	EXCLUSION_TRACED,      /* a debugger or tracer sees each of our signals */
	EXCLUSION_EMULATED,    /* it runs in valgrind or its like */
	EXCLUSION_TRAP,	       /* it waits for SIGTRAP itself */
	EXCLUSION_USER,	       /* of another user, who can't reach the session */
	EXCLUSION_UNREACHABLE, /* the collector's file is not there: another root directory */
	EXCLUSION_MEMORY,      /* its limits leave no room */
	EXCLUSION_MACHINE,     /* for another processor, run by an emulator */
	EXCLUSION_DISPATCH,    /* it handles its own system calls (prctl, user dispatch) */
	EXCLUSION_CLOCK,       /* reading the time stamp counter is a fault in it */
	EXCLUSION_WATCHED,     /* hardware breakpoints of its own on what is read */
	EXCLUSION_LOCKED,      /* it locks all its memory, within a limit */
	EXCLUSION_ENVIRONMENT, /* it is started without LD_PRELOAD, or with another one */
	EXCLUSION_COUNT,
};

/* "it is statically linked": the rest of a sentence about a program. NULL if there is no such
 * @reason (the number is another process's). */
const char *exclusion_text(uint32_t reason);

#define EXCLUSION_PATH_BYTES 120u
#define EXCLUSION_PROGRAMS   16u

/* Shared with the recorder, which reads it as bytes from outside. */
struct exclusions {
	struct exclusion_program {
		uint32_t reason;		 /* enum exclusion; atomic; written last */
		uint32_t count;			 /* how often; atomic */
		char path[EXCLUSION_PATH_BYTES]; /* its end, if it is longer; zero-terminated */
	} programs[EXCLUSION_PROGRAMS];
	uint32_t used; /* slots that were taken; atomic; may be more than there are */
	uint32_t more; /* programs that found no slot; atomic */
};

/* Note that the program @path was not entered. Anywhere: no system call, no lock. */
void exclusion_note(struct exclusions *r, enum exclusion reason, const char *path);
/* Take back a note: the program was entered, or not started. */
void exclusion_take_back(struct exclusions *r, enum exclusion reason, const char *path);
