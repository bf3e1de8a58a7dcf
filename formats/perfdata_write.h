/* SPDX-License-Identifier: MIT */
/*
 * Writing perf.data: one event, and one more each where values of sites (docs/values.md) or copies
 * of stacks are recorded beside the traces, records as they come, header and features around them.
 * Layout:
 * tools/perf/Documentation/perf.data-file-format.txt; records: include/uapi/linux/perf_event.h.
 *
 * To a pipe goes perf's other format, which has no offsets: the event, all that comes later, and
 * the features are records among the others.
 *
 * The file is a valid recording at every moment after perfdata_writer_sync: if the writer is
 * killed, perf and softlbr read what is there.
 *
 * What a perf.data looks like, for those who need not read one.
 */
#pragma once

#include <linux/perf_event.h>

#include "base/vector.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

/* Do the bytes begin like a perf.data? */
bool perfdata_is(const uint8_t *data, size_t size);

struct file_guard_kind;
extern const struct file_guard_kind perfdata_kind;

/* A record's size is 16 bits: no more branches fit in one. */
#define PERFDATA_SAMPLE_BRANCHES_MAX 2048u

/* The samples that softlbr writes carry these. */
#define PERFDATA_SAMPLE_TYPE                                                        \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT)

/*
 * Where more than traces is recorded, samples of traces and of values carry these: `perf script -F
 * ip,iregs` and `-F ip,brstack` ask the first event for their field. The id comes first in samples
 * of all events, and tells them apart.
 */
#define PERFDATA_TAGGED_TYPE \
	(PERFDATA_SAMPLE_TYPE | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR | PERF_SAMPLE_REGS_INTR)

enum perfdata_written_event {
	PERFDATA_OF_TRACES = 1,
	PERFDATA_OF_VALUES = 2,
	PERFDATA_OF_STACKS = 3,
	PERFDATA_OF_LOADS = 4,
	PERFDATA_OF_PATHS = 5,
};

/* The kinds of samples that are recorded beside traces. */
struct perfdata_beside {
	bool values;
	bool times;		  /* of loads and of paths */
	uint32_t stack_bytes;	  /* most bytes of a copied stack, 0: none are */
	uint64_t stack_registers; /* the mask of those that come with it */
};

/* Mark the events of these in their attr.config1: a name and a number of the layout. */
#define PERFDATA_VALUES_MARK UINT64_C(0x01007365756c6176)
#define PERFDATA_STACKS_MARK UINT64_C(0x0100736b63617473)
#define PERFDATA_LOADS_MARK  UINT64_C(0x0100007364616f6c)
#define PERFDATA_PATHS_MARK  UINT64_C(0x0100007368746170)

/* A record's size has 16 bits: beside a stack this leaves enough for any CPU's registers. */
#define PERFDATA_STACK_BYTES_MAX (63u << 10)

/*
 * The weight of a trace: how many branches it stands for, about. Its lowest bit says how it was
 * got: set if a part of the path was timed, clear if the path's time is the model's. A weight is
 * millions mostly, so the bit changes none. 0, not known, stays 0.
 */
static inline uint64_t perfdata_weight_mark(uint64_t weight, bool timed)
{
	if (!weight)
		return 0;
	return timed ? weight | 1 : weight < 2 ? 2 : weight & ~UINT64_C(1);
}

static inline bool perfdata_weight_is_timed(uint64_t weight)
{
	return weight & 1;
}

/* Where a struct perf_branch_entry has its branch's type, PERF_BR_*, in its flags. */
#define PERFDATA_BRANCH_TYPE_SHIFT 20

/* A PERF_RECORD_SAMPLE up to its branch stack; the weight, 8 bytes, comes behind it. */
struct perfdata_sample_head {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t period;
	uint64_t branch_count;
};

/* The same of PERFDATA_TAGGED_TYPE; behind the weight the ABI, and registers if it is not 0. */
struct perfdata_tagged_head {
	struct perf_event_header header;
	uint64_t id; /* enum perfdata_written_event */
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t address;
	uint64_t period;
	uint64_t branch_count;
};

/* Registers of a sample of values: the arguments of a call, as the kernel numbers and orders them
 * (arch/x86/include/uapi/asm/perf_regs.h). */
#define PERFDATA_VALUE_REGISTERS 6
/* PERF_REG_X86_: CX 2, DX 3, SI 4, DI 5, R8 16, R9 17 */
#define PERFDATA_VALUE_MASK 0x3003cu

/*
 * A sample of values: a call (its target is the address), or a division (its divisor is).
 *
 * Up to the ABI, NONE, also a sample of a load (of the cache line at the address; the period is how
 * many loads of the trace it stands for, the weight how many ticks it took), or of a trace's path
 * (from the IP to the address; the period is its time by the model, in ps, the weight that by the
 * program where it was timed, else 0).
 */
struct perfdata_value {
	struct perfdata_tagged_head head; /* without branches */
	uint64_t weight;
	uint64_t
		abi; /* PERF_SAMPLE_REGS_ABI_*; of PERF_SAMPLE_REGS_ABI_NONE the record ends here */
	uint64_t registers[PERFDATA_VALUE_REGISTERS];
};

/* A sample of a copied stack up to its registers; behind those come the copy's size, the copy, a
 * multiple of 8 bytes, and how much of it is from the stack: all. Of size 0 the record ends behind
 * the size. */
struct perfdata_stack_head {
	struct perf_event_header header;
	uint64_t id; /* PERFDATA_OF_STACKS */
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t address; /* how many of its callers a recorded call stack has left */
	uint64_t period;
	uint64_t chain_count; /* 0: who reads it unwinds the stack */
	uint64_t abi;	      /* PERF_SAMPLE_REGS_ABI_64 */
};

/* The trailer of all other records (sample_id_all), by PERFDATA_SAMPLE_TYPE. */
struct perfdata_sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

struct perfdata_module {
	char *path;
	struct build_id build_id;
	uint32_t pid;
};

struct perfdata_writer {
	int fd;
	bool pipe;   /* standard output: perf's format of pipes */
	bool tagged; /* more than traces is recorded: PERFDATA_TAGGED_TYPE */
	struct perfdata_beside beside;
	char *path;
	char *temporary; /* its name until it appears */
	bool has_samples;
	uint64_t data_bytes;
	VECTOR(uint8_t) waiting; /* the last of them, not written yet */
	struct perf_event_attr attr;
	VECTOR(struct perfdata_module) modules; /* for the build-id table */
};

struct perfdata_features {
	const char *version;	/* "softlbr 0.1.0; ..." */
	const char *event_name; /* as perf prints it */
	char *const *command;	/* NULL-terminated */
};

static inline size_t perfdata_sample_bytes(size_t branches)
{
	return sizeof(struct perfdata_sample_head) + branches * sizeof(struct perf_branch_entry) +
	       sizeof(uint64_t);
}

/* The same of tagged ones; and of the two kinds. */
static inline size_t perfdata_tagged_bytes(size_t branches)
{
	return perfdata_sample_bytes(branches) + sizeof(struct perfdata_tagged_head) -
	       sizeof(struct perfdata_sample_head) + sizeof(uint64_t);
}

static inline size_t perfdata_trace_bytes(size_t branches, bool tagged)
{
	return tagged ? perfdata_tagged_bytes(branches) : perfdata_sample_bytes(branches);
}

/* A copy of @bytes with @registers. */
static inline size_t perfdata_stack_record_bytes(size_t registers, size_t bytes)
{
	return sizeof(struct perfdata_stack_head) + (registers + 1) * sizeof(uint64_t) +
	       (bytes ? bytes + sizeof(uint64_t) : 0);
}

/* Create @path (base/file_output.h: an existing one becomes @path.old, but not before there are
 * samples), or take standard output for "-", for samples of the event @attr (its sample_type and
 * trailers are set here), and of what is recorded @beside them; NULL: nothing. */
int perfdata_writer_open(struct perfdata_writer *w, const char *path,
			 const struct perf_event_attr *attr, const struct perfdata_beside *beside,
			 struct softlbr_error *e);
/* Append whole records, which may wait for perfdata_writer_sync; MMAP2 records with build-ids are
 * noted for the build-id table. */
int perfdata_writer_append(struct perfdata_writer *w, const void *records, size_t bytes,
			   struct softlbr_error *e);
/* Append a record that is no sample and ends in a struct perfdata_sample_id: where samples are
 * tagged, so is it. */
int perfdata_writer_append_other(struct perfdata_writer *w, const struct perf_event_header *record,
				 struct softlbr_error *e);
/* Write what waits, and the header's data size; with the first samples, the file appears. */
int perfdata_writer_sync(struct perfdata_writer *w, struct softlbr_error *e);
/* Has the file its name? It has from the beginning where there was none. */
bool perfdata_writer_appeared(const struct perfdata_writer *w);
/* Give it, even without samples. */
int perfdata_writer_appear(struct perfdata_writer *w, struct softlbr_error *e);
/* Write the features and close. What has not appeared is removed. */
int perfdata_writer_close(struct perfdata_writer *w, const struct perfdata_features *features,
			  struct softlbr_error *e);
/* Close as it is. Fine after perfdata_writer_close. */
void perfdata_writer_abandon(struct perfdata_writer *w);
