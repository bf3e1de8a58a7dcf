/* SPDX-License-Identifier: MIT */
/*
 * perf.data: reading (perfdata_read.c) and writing (perfdata_write.c). Layouts and numbers are the
 * kernel's, include/uapi/linux/perf_event.h, and
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#pragma once

#include <linux/perf_event.h>

#include "base/file.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

/* One entry of a branch stack, as in struct perf_branch_entry. */
struct perfdata_branch {
	uint64_t from, to;
	uint64_t flags; /* bit 0 mispred, 1 predicted, 2 in_tx, 3 abort, 4-19 cycles, 20-23 type,
			 * 24-25 spec (1 = wrong path), 33 not taken (perf's own,
			 * tools/perf/util/branch.h: Arm SPE samples branches, taken or not) */
};

#define PERFDATA_BRANCH_MISPREDICTED 1u
#define PERFDATA_BRANCH_PREDICTED    2u
#define PERFDATA_CYCLES_SHIFT	     4
#define PERFDATA_CYCLES_MOST	     0xffffu
#define PERFDATA_BRANCH_CYCLES(flags) \
	((unsigned)((flags) >> PERFDATA_CYCLES_SHIFT & PERFDATA_CYCLES_MOST))
#define PERFDATA_SPEC_SHIFT	    24
#define PERFDATA_BRANCH_SPEC(flags) ((unsigned)((flags) >> PERFDATA_SPEC_SHIFT & 3))
#define PERFDATA_SPEC_WRONG_PATH    1u
#define PERFDATA_BRANCH_NOT_TAKEN   (UINT64_C(1) << 33)

/* Did control go from a place to another? An end that was not recorded is 0: BRBE keeps branches of
 * which it knows one end, and perf tells by 0/TARGET where the branch before that of an Arm SPE
 * sample went. */
static inline bool perfdata_branch_is_whole(const struct perfdata_branch *b)
{
	return !(b->flags & PERFDATA_BRANCH_NOT_TAKEN) && b->from && b->to;
}

/* ---- reading ------------------------------------------------------------------------------- */

struct perfdata_mmap {
	uint32_t pid, tid;
	uint64_t start, length, page_offset;
	uint32_t protection;	  /* PROT_*; PROT_EXEC assumed for PERF_RECORD_MMAP */
	struct build_id build_id; /* of MMAP2, or from the header's table; size 0 = unknown */
	const char *path;
	bool at_va; /* it begins at the file's virtual address 0, not at an offset of the file */
};

struct perfdata_task { /* COMM, FORK, EXIT */
	uint32_t pid, tid, parent_pid, parent_tid;
	bool exec;	  /* COMM of an exec: the address space is new */
	const char *comm; /* COMM */
};

struct perfdata_sample {
	uint32_t pid, tid;
	/* 0 where the event does not carry them; period 1 */
	uint64_t ip, address, id, period, weight;
	uint64_t repeats; /* an aggregated text has so many more like it */
	/* of the event until then, where it tells (PERF_SAMPLE_READ); with more events than
	 * counters it did not run all the time */
	uint64_t time_enabled, time_running;
	unsigned event; /* index into the recording's events */
	bool has_branches;
	const struct perfdata_branch *branches; /* newest first; valid during the call */
	size_t branch_count;
	/* of the interrupted thread, else of its user space; the kernel numbers them (perf_regs.h
	 * of the CPU), in that order. Of no meaning where the mask is 0. */
	uint64_t register_mask;
	const uint64_t *registers; /* valid during the call */
	/* of the user stack, from the stack pointer of the registers on; valid during the call;
	 * NULL without */
	const uint8_t *stack;
	size_t stack_bytes;
};

/* The value of register @number; false if the sample does not have it. */
static inline bool perfdata_sample_register(const struct perfdata_sample *s, unsigned number,
					    uint64_t *value)
{
	uint64_t below = s->register_mask & ((UINT64_C(1) << number) - 1);

	if (!(s->register_mask >> number & 1))
		return false;
	*value = s->registers[__builtin_popcountll(below)];
	return true;
}

struct perfdata_record {
	uint32_t type;	 /* PERF_RECORD_* */
	uint16_t misc;	 /* PERF_RECORD_MISC_* */
	uint64_t offset; /* in the file: for messages */
	uint64_t time;	 /* ns; 0 if unknown */
	union {
		struct perfdata_mmap mmap; /* MMAP, MMAP2 */
		struct perfdata_task task; /* COMM, FORK, EXIT */
		struct perfdata_sample sample;
		uint64_t lost; /* LOST, LOST_SAMPLES */
	};
};

/* What the samples of an event are: moments of the program, or what softlbr tells beside them,
 * values that it saw (docs/values.md), copies of stacks, times of loads and of traces' paths
 * (formats/perfdata_write.h). */
enum perfdata_samples {
	PERFDATA_MOMENTS,
	PERFDATA_VALUES,
	PERFDATA_STACKS,
	PERFDATA_LOADS,
	PERFDATA_PATHS,
};

struct perfdata_event {
	char name[64];
	struct perf_event_attr attr;
	enum perfdata_samples samples;
};

/* Kinds of hardware trace (enum auxtrace_type in tools/perf/util/auxtrace.h). */
enum {
	PERFDATA_INTEL_PT = 1,
	PERFDATA_INTEL_BTS = 2,
	PERFDATA_CORESIGHT = 3,
	PERFDATA_ARM_SPE = 4
};

/* The contents of the header. */
struct perfdata_info {
	const struct perfdata_event *events;
	size_t event_count;
	bool softlbr;	     /* recorded by softlbr */
	bool has_time;	     /* every record carries its time */
	const char *comment; /* softlbr's own version string, NULL if none */
	const char *host;    /* where it was recorded; NULL if it does not say */
	const char *cpu;     /* as perf names it, "GenuineIntel-6-1A-5"; NULL if it does not say */
	const char *command; /* the recorder's command line, blanks between; NULL if none */
	uint64_t truncated_at; /* UINT64_MAX, or where a cut-off or damaged file ended */
	/* The kind of its hardware trace (AUX area), once the record of it was read; 0: none */
	uint32_t auxtrace;
};

/* Called for each record in file order; a non-zero return ends reading and is passed on. */
typedef int perfdata_handler(void *context, const struct perfdata_info *info,
			     const struct perfdata_record *record, struct softlbr_error *e);

/*
 * A recording that is read, once or more often. Nothing is allocated per
 * record; strings and stacks of a record are valid during the handler's call only.
 */
struct perfdata_reader;

/* Of a file that is open already, or bytes, which stay the caller's; @name is used in messages.
 * NULL with @e set: SOFTLBR_E_INPUT for bytes that are no perf.data (where = the offset). */
struct perfdata_reader *perfdata_open_view(const struct file_view *view, const char *name,
					   struct softlbr_error *e);
/* The same; the reader owns @view then, also on failure. */
struct perfdata_reader *perfdata_open_take(struct file_view *view, const char *name,
					   struct softlbr_error *e);
void perfdata_close(struct perfdata_reader *r);
/* Valid until perfdata_close. Complete from the beginning, for recordings of pipes too. */
const struct perfdata_info *perfdata_info(const struct perfdata_reader *r);

enum perfdata_wanted {
	PERFDATA_ALL,
	PERFDATA_NO_SAMPLES,   /* everything but samples, which are passed over undecoded */
	PERFDATA_ONLY_SAMPLES, /* samples and LOST records */
};

int perfdata_each(struct perfdata_reader *r, enum perfdata_wanted wanted, perfdata_handler *handler,
		  void *context, struct softlbr_error *e);
