/* SPDX-License-Identifier: MIT */
/*
 * Programs that are not entered: the collector stays out of a process, or leaves it, where it would
 * change what the program does. Each is noted in the header of a process that is (of its parent,
 * or its own), by whoever decided it: before an exec, at its start, or when it changed later.
 */
#pragma once

#include <stdint.h>

/* Why; the order is of the file's layout: add at the end, and to refusal_text. */
enum refusal {
	REFUSAL_NONE,
	REFUSAL_STATIC, /* no dynamic linker, nothing preloads */
	REFUSAL_32_BIT,
	REFUSAL_LIBC,	     /* a libc other than glibc */
	REFUSAL_GO,	     /* a Go runtime: it wants all signals on its own stacks */
	REFUSAL_SANITIZER,   /* clang's ThreadSanitizer; AddressSanitizer's library */
	REFUSAL_PRIVILEGED,  /* setuid, setgid, file capabilities: nothing is preloaded */
	REFUSAL_SECCOMP,     /* a system call filter: our calls would be its violations */
	REFUSAL_TRACED,	     /* a debugger or tracer sees each of our signals */
	REFUSAL_EMULATED,    /* it runs in valgrind or its like */
	REFUSAL_TRAP,	     /* it waits for SIGTRAP itself */
	REFUSAL_USER,	     /* of another user, who can't reach the session */
	REFUSAL_UNREACHABLE, /* the collector's file is not there: another root directory */
	REFUSAL_MEMORY,	     /* its limits leave no room */
	REFUSAL_MACHINE,     /* for another processor, run by an emulator */
	REFUSAL_DISPATCH,    /* it handles its own system calls (prctl, user dispatch) */
	REFUSAL_CLOCK,	     /* reading the time stamp counter is a fault in it */
	REFUSAL_WATCHED,     /* hardware breakpoints of its own on what is read */
	REFUSAL_LOCKED,	     /* it locks all its memory, within a limit */
	REFUSAL_COUNT,
};

/* "it is statically linked": the rest of a sentence about a program. NULL if there is no such
 * @reason (the number is another process's). */
const char *refusal_text(uint32_t reason);

#define REFUSAL_PATH_BYTES 120u
#define REFUSAL_PROGRAMS   8u

/* Shared with the recorder, which reads it as bytes from outside. */
struct refusals {
	struct refusal_program {
		uint32_t reason;	       /* enum refusal; atomic; written last */
		uint32_t count;		       /* how often; atomic */
		char path[REFUSAL_PATH_BYTES]; /* its end, if it is longer; zero-terminated */
	} programs[REFUSAL_PROGRAMS];
	uint32_t used; /* slots that were taken; atomic; may be more than there are */
	uint32_t more; /* programs that found no slot; atomic */
};

/* Note that the program @path was not entered. Anywhere: no system call, no lock. */
void refusal_note(struct refusals *r, enum refusal reason, const char *path);
/* Take back a note: the program was entered, or not started. */
void refusal_take_back(struct refusals *r, enum refusal reason, const char *path);
