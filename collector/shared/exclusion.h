/* SPDX-License-Identifier: MIT */
/*
 * Programs that are not entered: the collector stays out of a process, or leaves it, where it would
 * change what the program does. Each is noted in the header of a process that is (of its parent,
 * or its own), by whoever decided it: before an exec, at its start, or when it changed later.
 */
#pragma once

#include <stdint.h>

/* Why: X(EXCLUSION_..., exclusion_text). The order is of the file's layout: add at the end. */
/* clang-format off */
#define EXCLUSIONS(X) \
	X(STATIC, "it is statically linked") /* no dynamic linker, nothing preloads */ \
	X(32_BIT, "it is a 32-bit program") \
	X(LIBC, "its libc is not glibc") \
	X(GO, "it has a Go runtime") /* it wants all signals on its own stacks */ \
	X(SANITIZER, "it is built with a sanitizer") /* clang's of threads, any of addresses */ \
	X(PRIVILEGED, "it is setuid, setgid or has file capabilities") /* nothing is preloaded */ \
	X(SECCOMP, "it runs under a seccomp filter") /* our calls would be its violations */ \
	X(TRACED, "a debugger or tracer is attached to it") /* it sees each of our signals */ \
	X(EMULATED, "it runs in valgrind or its like") \
	X(TRAP, "it waits for SIGTRAP itself") \
	X(USER, "it runs as another user") /* it can't reach the session */ \
	X(UNREACHABLE, "the collector can't be loaded from its root directory") \
	X(MEMORY, "its memory or file limits leave no room") \
	X(MACHINE, "it is for another processor") /* run by an emulator */ \
	X(DISPATCH, "it has its system calls dispatched to itself") /* prctl, user dispatch */ \
	X(CLOCK, "it forbids itself to read the time stamp counter") /* which is a fault then */ \
	X(WATCHED, "it watches what reads its memory") /* by hardware breakpoints */ \
	X(LOCKED, "it locks its memory, and its limit leaves no room") \
	X(ENVIRONMENT, "it is started with another environment, without the LD_PRELOAD of record") \
	X(LEAKS, "it looks for leaks at its end, which fails under ptrace") /* LeakSanitizer's */ \
	X(ACTIONS, "it sets signal handlers by system calls of its own") /* SIGTRAP's, too */ \
	X(OLD_LIBC, "its glibc is older than the collector needs") \
	X(DESCRIPTORS, "it uses up its descriptors, of which sampling takes some")
/* clang-format on */

enum exclusion {
	EXCLUSION_NONE,
#define X(reason, text) EXCLUSION_##reason,
	EXCLUSIONS(X)
#undef X
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
