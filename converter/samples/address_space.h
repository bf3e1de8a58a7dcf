/* SPDX-License-Identifier: MIT */
/*
 * Which module was mapped where, in which process, at which time: the address spaces of a
 * recording, built from its MMAP, COMM, FORK and EXIT records.
 *
 * A process goes through a sequence of spaces. It keeps the same space while maps are only added
 * (nothing that was counted by raw address changes its meaning then) and gets a new one when a map
 * replaces another one, or by exec. A forked child shares its parent's space until one of the two
 * adds a map. So most processes have one space, and counting can be done on raw addresses.
 *
 * Where an address of a recording is (converter/samples/locator.c).
 */
#pragma once

#include "base/vector.h"
#include "converter/samples/address_maps.h"
#include "converter/samples/modules.h"
#include "converter/samples/sample_events.h"
#include "converter/samples/steps.h"
#include "converter/samples/traces.h"
#include "converter/samples/value_samples.h"
#include "formats/model/branch_profile.h"
#include "formats/perfdata.h"

enum location_kind { LOCATION_BINARY, LOCATION_OTHER, LOCATION_KERNEL, LOCATION_NOTHING };

struct location {
	enum location_kind where;
	int64_t module; /* -1 = none */
	uint64_t va;	/* in the binary */
};

struct address_space {
	struct address_maps maps;
	unsigned owners;  /* processes that are in it now */
	uint64_t exec_ns; /* when its program began; 0 = before the recording, or not known */
	/* What was counted in it, at raw addresses. The maps are as in struct branch_profile and
	 * hold what `steps` does not: ends of branches alone, mispredictions, samples (m = their
	 * periods). */
	struct steps steps;
	struct map branches, ranges, samples;
	struct map firsts;		/* (sampled address, 0) -> n = ns of its first sample */
	struct branch_details *details; /* if they are of interest, and there are any */
	struct map numbers; /* (from,to) -> n = number among the branches of traces, + 1 */
};

/* Since when a process has been in a space. */
struct address_epoch {
	uint64_t time, offset; /* of the record that began it; order is by both */
	struct address_space *space;
};

struct address_process {
	VECTOR(struct address_epoch) epochs;
	size_t last; /* where the last look-up ended */
};

/* A change of an address space: one record. */
struct address_change {
	uint64_t time, offset;
	uint32_t pid;
	uint16_t type;	  /* PERF_RECORD_MMAP, COMM (an exec) or FORK */
	bool copies_maps; /* FORK */
	union {
		uint32_t parent_pid; /* FORK */
		struct address_map map;
	};
};

struct address_history {
	struct modules *modules;
	VECTOR(struct address_change) changes;
	VECTOR(struct address_space *) spaces; /* number 0 is the kernel's */
	VECTOR(struct address_process) processes;
	struct map process_of_pid;   /* (pid,0) -> n = index */
	struct sample_times times;   /* of events */
	uint64_t first_ns;	     /* when the first sample was taken; 0 = not known */
	struct traces traces;	     /* what was counted in the spaces, if it is of interest */
	struct value_samples values; /* the same */
};

/* @modules must outlive the history and may be shared by many. 0, or -1 without memory. */
int address_history_init(struct address_history *h, struct modules *modules);
void address_history_deinit(struct address_history *h);
/* Take note of a record, in any order; 0, or -1 without memory. */
int address_history_add(struct address_history *h, const struct perfdata_record *record);
/* When all are noted: put them in order of time and build the spaces; 0, or -1 without memory. */
int address_history_build(struct address_history *h);
/* The space of @pid at a time (and file offset, among equal times); NULL without memory. */
struct address_space *address_history_at(struct address_history *h, uint32_t pid, uint64_t time,
					 uint64_t offset);
struct address_space *address_history_kernel(struct address_history *h);
/* Its details, to add to; NULL without memory. */
struct branch_details *address_space_details(struct address_space *s);
/* Look at the maps that are taken as copies of the module with that number, whose file @b is; those
 * that are none are anonymous memory again. 0, or -1 without memory. */
int address_history_judge_copies(struct address_history *h, struct modules *modules, size_t number,
				 struct binary *b);

/* Where in @b, which is @map's module, an address of @map is; BRANCH_OUTSIDE if nowhere. */
uint64_t address_map_to_va(const struct address_map *map, const struct modules *modules,
			   const struct binary *b, uint64_t address);
/* The map that holds @address, or NULL. */
const struct address_map *address_space_find(const struct address_space *s, uint64_t address);
