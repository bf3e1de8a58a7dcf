/* SPDX-License-Identifier: MIT */
#include "collector/shared/trusted.h"

#include <string.h>
#include <unistd.h>

#include "collector/engine/cache_lines.h"
#include "collector/engine/memory_reader.h"
#include "collector/engine/site_values.h"
#include "collector/engine/stopwatch.h"
#include "collector/engine/trace.h"

/* Buffers that no option asks for. */
#define CHUNK_BYTES_MOST (64u << 20)
#define CHUNKS_MOST	 (1u << 20)
/* No trace takes longer. */
#define TRACE_NS_MOST 100000000u

/* ---- the control page ---------------------------------------------------------------------- */

bool trusted_options(const struct session_options *o)
{
	return o->depth && o->depth <= TRACE_DEPTH_MAX && o->depth_most <= TRACE_DEPTH_MAX &&
	       o->recorded <= TRACE_DEPTH_MAX && o->stack &&
	       o->stack <= PERFDATA_SAMPLE_BRANCHES_MAX && o->lookahead <= CORE_OFF &&
	       o->memory <= MEMORY_READV && o->correction < CORRECTION_COUNT &&
	       o->budget <= BUDGET_WHOLE && o->values <= SITE_VALUES_MOST &&
	       o->times <= LOAD_TIMES_MOST && o->stack_copy <= PERFDATA_STACK_BYTES_MAX &&
	       !(o->stack_copy % 8) &&
	       o->chunk_bytes >= sizeof(struct chunk_header) +
					 perfdata_trace_bytes(o->stack, session_is_tagged(o)) &&
	       o->chunk_bytes >= sizeof(struct chunk_header) + session_stack_record_bytes(o) &&
	       o->chunk_bytes <= CHUNK_BYTES_MOST && !(o->chunk_bytes % SESSION_PAGE) &&
	       o->chunk_count && o->chunk_count <= CHUNKS_MOST;
}

/* ---- costs --------------------------------------------------------------------------------- */

static void copy_fit(struct rate_fit *to, const struct rate_fit *from)
{
	for (unsigned i = 0; i < RATE_FIT_PAIRS; i++)
		atomic_write_release(&to->pairs[i], atomic_read_relaxed(&from->pairs[i]));
	for (unsigned i = 0; i < RATE_FIT_TERMS; i++)
		atomic_write_release(&to->times[i], atomic_read_relaxed(&from->times[i]));
	atomic_write_release(&to->count, atomic_read_relaxed(&from->count));
}

/* However little it is: processes that live for a trace each come to enough together. */
static void copy_stop_costs(struct stopwatch_costs *to, const struct stopwatch_costs *from)
{
	uint32_t count = atomic_read_relaxed(&from->count);
	struct rate_fit fit;
	uint32_t interrupts = atomic_read_relaxed(&from->interrupts);
	uint64_t ps[STOPWATCH_STOP_COSTS], interrupt_ps[STOPWATCH_STOP_COSTS];

	copy_fit(&fit, &from->fit);
	if ((!count && !interrupts) || !rate_fit_is_possible(&fit))
		return;
	for (uint32_t i = 0; i < STOPWATCH_STOP_COSTS; i++) {
		ps[i] = atomic_read_relaxed(&from->ps[i]);
		interrupt_ps[i] = atomic_read_relaxed(&from->interrupt_ps[i]);
		if (ps[i] > STOPWATCH_STOP_MOST_PS || interrupt_ps[i] > STOPWATCH_STOP_MOST_PS)
			return;
	}
	for (uint32_t i = 0; i < STOPWATCH_STOP_COSTS; i++) {
		atomic_write_release(&to->ps[i], ps[i]);
		atomic_write_release(&to->interrupt_ps[i], interrupt_ps[i]);
	}
	copy_fit(&to->fit, &fit);
	atomic_write_release(&to->count, count);
	atomic_write_release(&to->interrupts, interrupts);
}

bool trusted_trace_ns(uint64_t ns)
{
	return ns && ns <= TRACE_NS_MOST;
}

uint32_t trusted_lag(const struct session_costs *c)
{
	uint32_t lag = atomic_read_relaxed(&c->lag);

	return lag >= BUDGET_ALL_COME && lag <= BUDGET_FEWEST_COME ? lag : BUDGET_ALL_COME;
}

void trusted_costs_copy(struct session_costs *to, const struct session_costs *from)
{
	uint64_t trace_ns = atomic_read_relaxed(&from->trace_ns);

	copy_stop_costs(&to->stops, &from->stops);
	atomic_write_release(&to->lag, trusted_lag(from));
	if (trusted_trace_ns(trace_ns))
		atomic_write_release(&to->trace_ns, trace_ns);
}

/* ---- a process's file ---------------------------------------------------------------------- */

bool trusted_header(const struct process_header *h, uint32_t pid, uint32_t chunk_bytes,
		    uint32_t chunks_most)
{
	return h->magic == SESSION_MAGIC && h->pid == pid && h->chunk_bytes == chunk_bytes &&
	       h->chunk_count <= chunks_most;
}

bool trusted_chunk(uint32_t used, uint32_t drained, uint32_t chunk_bytes)
{
	return used <= chunk_bytes - sizeof(struct chunk_header) && used > drained;
}

int trusted_errno(const struct process_header *h)
{
	return h->refused > 0 && h->refused < 4096 ? h->refused : 0;
}

void trusted_add(uint64_t *sum, uint64_t more)
{
	*sum = more > (uint64_t)INT64_MAX - *sum ? (uint64_t)INT64_MAX : *sum + more;
}

/* A control character would be the terminal's to obey; other bytes may be no text (JSON's are). */
static void make_printable(char *path)
{
	for (; *path; path++)
		if (*path < ' ' || *path == 0x7f)
			*path = '?';
}

bool trusted_exclusion(const struct exclusion_program *shared, struct exclusion_program *out)
{
	/* acquires the release in exclusion_note */
	out->reason = atomic_read_acquire(&shared->reason);
	out->count = atomic_read_relaxed(&shared->count);
	memcpy(out->path, shared->path, sizeof(out->path));
	out->path[sizeof(out->path) - 1] = 0;
	make_printable(out->path);
	return exclusion_text(out->reason) && out->count && out->count <= INT32_MAX;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

size_t trusted_bytes_gather(void *to, size_t bytes, const struct iovec *from, size_t parts)
{
	struct iovec local = {to, bytes};
	ssize_t got = process_vm_readv(getpid(), &local, 1, from, parts, 0);

	return got < 0 ? 0 : (size_t)got;
}

bool trusted_bytes_read(void *to, const void *from, size_t bytes)
{
	struct iovec remote = {(void *)from, bytes};

	return trusted_bytes_gather(to, bytes, &remote, 1) == bytes;
}

bool trusted_bytes_write(void *to, const void *from, size_t bytes)
{
	struct iovec local = {(void *)from, bytes}, remote = {to, bytes};

	return process_vm_writev(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}
