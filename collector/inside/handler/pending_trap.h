/* SPDX-License-Identifier: MIT */
/* SIGTRAPs that the kernel keeps for a thread that blocks them: ours, and the program's own. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define PENDING_TRAP_BIT (UINT64_C(1) << (SIGTRAP - 1))

/* siginfo of a sigtrap event: include/uapi/asm-generic/siginfo.h; glibc 2.36 has no names. */
#define PENDING_TRAP_PERF 6

struct pending_trap_perf {
	int32_t signo, error, code, padding;
	uint64_t address;
	uint64_t data;
	uint32_t type, flags;
};

/* By kill, sigqueue (or pthread_sigqueue, which can't be told from it) and timers: any thread may
 * take it. */
bool pending_trap_is_for_process(const siginfo_t *info);
/* A sample of ours that a timer sends (collector/engine/sampler.h), and no event. */
bool pending_trap_is_timer(const siginfo_t *info);
/* Send the program's own signal @info, which came to this thread, once more, to whom it was sent,
 * and block SIGTRAP until the handler that this is called from returns, or somebody else opens it:
 * then it is delivered. */
void pending_trap_send_again(const siginfo_t *info);
/* A message of ours, from thread to thread (virtual_mask.h). */
void pending_trap_message(siginfo_t *out);
bool pending_trap_is_message(const siginfo_t *info);
/* Send @info to thread @tid of this process. */
void pending_trap_send_to(uint32_t tid, const siginfo_t *info);
/* While this thread blocks SIGTRAP and has no events: take ours away. */
void pending_trap_drop_ours(void);

/* Is one pending for the calling thread, of its own or of the process? */
bool pending_trap_is_there(void);

/* Take the program's own, and put them back while SIGTRAP is still blocked. */
struct pending_trap {
	bool of_thread, of_process;
	siginfo_t thread, process;
};
void pending_trap_take(struct pending_trap *out);
void pending_trap_put_back(const struct pending_trap *p);
