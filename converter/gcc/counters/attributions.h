/* SPDX-License-Identifier: MIT */
/*
 * What the program's own code shows of gcc's blocks: for each instruction how often it ran, and
 * which function's statement, in which instance, it was made from.
 *
 * The function that counts a statement is the innermost one of the instruction's inline stack that
 * gcc instrumented: a function that was inlined before has no counters there. It was, if its caller
 * has the statement and no call at the call's place.
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/gcc/counters/contexts.h"
#include "converter/gcc/counters/notes_index.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

/* Kinds of instructions; compilers treat each differently. */
enum attribution_kind {
	ATTRIBUTION_COMPUTE,
	ATTRIBUTION_STORE,
	ATTRIBUTION_SHUFFLE, /* isa/isa.h */
	ATTRIBUTION_SELECT,
	ATTRIBUTION_CALL, /* and jumps to other functions */
	ATTRIBUTION_CONDITION,
	ATTRIBUTION_JUMP,
};

#define ATTRIBUTION_NO_DISCRIMINATOR UINT32_MAX

/* Equal instructions of one machine block that were made from one statement. */
struct attribution {
	uint32_t function, context, inner; /* contexts.h */
	struct notes_place place;
	uint32_t discriminator; /* of a block of the function, or none */
	uint32_t operation;	/* isa/isa.h */
	uint32_t block;		/* of machine code, by number */
	uint8_t kind;
	bool joined;	 /* that block has several predecessors */
	uint32_t copies; /* so many instructions */
	uint64_t count;	 /* how often they ran */
};

/* A conditional jump, whose two ways may be a block's. */
struct attributed_jump {
	uint32_t function, context;
	struct notes_place place;
	uint32_t discriminator;
	uint64_t address, target, next;
	uint64_t taken, not_taken;
};

/* An instruction that was made from a statement of which gcc counts values. */
struct attributed_site {
	uint32_t function, inner;
	struct notes_place place;
	uint32_t discriminator;
	bool calls, indirect; /* indirect jumps may be calls, too */
	uint64_t address;
};

#define ATTRIBUTED_SEVERAL   UINT64_MAX
#define ATTRIBUTED_ELSEWHERE (UINT64_MAX - 1)

struct attributed_instruction {
	uint64_t address;
	struct notes_place place; /* in its innermost function */
	uint32_t context;	  /* of that; CONTEXT_NONE = not known */
	uint32_t block;
	/* always; 0 = it does not jump; ATTRIBUTED_SEVERAL = there or to the next one;
	 * ATTRIBUTED_ELSEWHERE = not known where */
	uint64_t jumps_to;
};

/* An indirect jump of a function whose code is at hand, once for each target. */
struct attributed_goto {
	uint32_t function;
	uint64_t target, count;
};

/* A function of the CFG notes. */
struct attributed_function {
	uint64_t entries; /* of its symbols, clones too */
	uint64_t pointed; /* of these by pointers, from the program's own code */
	/* its instructions, each as often as it ran; and those whose line has statements, but none
	 * at that column */
	uint64_t weight, no_column;
	bool symbol;  /* has code of its own */
	bool split;   /* a part of it is a function of its own, which its inlined instances call */
	bool inlined; /* has instances in others, as far as these ran */
	/* its own of all, once they are sorted */
	size_t first_jump, jumps, first_goto, gotos;
};

struct attribution_stats {
	/* instructions, each as often as it ran */
	uint64_t weight, no_debug, line_zero, foreign, no_key, no_discriminator;
	uint64_t no_line; /* of no_key: not at any column, either */
};

/* Start zeroed. */
struct attributions {
	struct contexts contexts;
	VECTOR(struct attribution) items;     /* by function, context, place, discriminator, ... */
	VECTOR(struct attributed_jump) jumps; /* by function, context */
	VECTOR(struct attributed_instruction) code;   /* by address */
	VECTOR(struct attributed_goto) gotos;	      /* by function, target */
	VECTOR(struct attributed_function) functions; /* by number */
	VECTOR(struct attributed_site) sites;	      /* by function, place, address */
	struct map symbols; /* (first address, 0) -> n = function, or NOTES_NONE */
	uint32_t blocks;
	struct attribution_stats stats;
};

void attributions_deinit(struct attributions *o);
/* Put all in order; equal instructions of a machine block become one. */
void attributions_sort(struct attributions *o);
/* Instructions from @address on to the end of its machine block; none if no instruction that was
 * observed begins there. */
const struct attributed_instruction *attributions_code_at(const struct attributions *o,
							  uint64_t address, size_t *count);

/* All of a program; @p conserves flow, or is exact; each count is taken @scale times. 0 or a
 * negative code. */
int attributions_make(struct binary *b, const struct branch_profile *p, uint64_t scale,
		      struct notes_index *keys, struct attributions *out, struct softlbr_error *e);
