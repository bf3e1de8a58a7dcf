/* SPDX-License-Identifier: MIT */
/*
 * A program under qemu-aarch64, by GDB's remote serial protocol (GDB manual, appendix E): single
 * steps, registers, memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct snapshot;

struct gdb_remote {
	pid_t pid; /* QEMU's; 0: none */
	int fd;
	unsigned thread_pointer, cache_type; /* numbers of these registers */
	char answer[8192];
	char input[4096]; /* what was read and not looked at yet */
	size_t at, end;
};

/* Start QEMU's @argv (whose words 1 and 2 are -g and a path for the socket), stopped at its first
 * instruction. */
bool gdb_remote_start(struct gdb_remote *g, char **argv);
void gdb_remote_kill(struct gdb_remote *g);

/* False if the program has ended, or did not come to its stop in a minute, and was ended. */
bool gdb_remote_step(struct gdb_remote *g);
/* Run to the instruction at @address. */
bool gdb_remote_run_to(struct gdb_remote *g, uint64_t address);
/* Let it run; then send it a signal, which it does not get, and wait for its stop. */
void gdb_remote_continue(struct gdb_remote *g);
bool gdb_remote_interrupt(struct gdb_remote *g);

bool gdb_remote_registers(struct gdb_remote *g, struct snapshot *out);
/* At most 1024 bytes. */
bool gdb_remote_memory(struct gdb_remote *g, uint64_t address, void *out, size_t bytes);
