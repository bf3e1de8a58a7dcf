/* SPDX-License-Identifier: MIT */
/*
 * The traces of several recordings of a program, which are estimated together: what one of them is
 * too short to tell, all of them may. One process's address is another one's in another process, so
 * that traces are sequences of places here.
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "converter/samples/address_space.h"
#include "converter/samples/frequencies.h"
#include "converter/samples/traces.h"
#include "formats/model/branch_profile.h"

struct aggregate_recording;
struct aggregate_result;

struct joint_place {
	struct location place;
	uint64_t key; /* the same in all processes */
};

struct joint_branch {
	struct joint_place from, to;
};

struct joint_traces {
	uint64_t weight; /* what each of their counts is worth in the profile */
	bool rated;	 /* the rates of some are known, in each of the recordings */
	uint64_t recordings;
	struct map numbers; /* keys of (from,to) -> n = index + 1 */
	VECTOR(struct joint_branch) places;
	VECTOR(struct frequencies_branch) branches;
	struct traces traces;	   /* entries are numbers of places; without branches */
	struct branch_profile raw; /* their counts as recorded, each worth its weight */
};

void joint_traces_deinit(struct joint_traces *j);
/*
 * Add the traces of a recording to those of @result that they are estimated with; the @last time
 * they may be taken from it. *joint: these, to whose raw counts those of the recording are to be
 * added, or NULL: nothing is to be estimated of it. 0, or -1 without memory.
 */
int joint_traces_add(struct aggregate_result *result, struct aggregate_recording *recording,
		     enum frequencies how, bool last, struct joint_traces **joint);
/*
 * Add the branches and ranges of @j to the profile: as they are estimated to be if the traces show
 * a bias, else as they were recorded. 0, or -1 without memory.
 */
int joint_traces_estimate(const struct joint_traces *j, struct aggregate_result *result,
			  enum frequencies how);
