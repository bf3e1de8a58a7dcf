/* SPDX-License-Identifier: MIT */
/*
 * String instructions, with a bounded count behind rep. Source: Intel SDM volume 2 (MOVS, STOS,
 * LODS, CMPS, SCAS, REP).
 */
#include "isa/x86_64/operand.h"

#define ONE_BY_ONE_BYTES 256  /* more are a range of the shadow */
#define COMPARED_MAX	 4096 /* elements */

/* What a string instruction works on; counts are 1 without rep. */
struct run {
	uint64_t source, destination, count;
	int64_t step;
	bool source_known, destination_known, count_known;
};

static unsigned address_bytes(const struct isa_record *r)
{
	return r->attributes & X86_ADDRESS32 ? 4 : 8;
}

static bool repeats(const struct isa_record *r)
{
	return r->attributes & (X86_REP | X86_REPNE);
}

static void start(const struct isa_record *r, const struct isa_state *s, struct run *run)
{
	unsigned bytes = address_bytes(r);
	struct isa_value source = x86_register(s, X86_RSI, bytes);
	struct isa_value destination = x86_register(s, X86_RDI, bytes);
	struct isa_value count = x86_register(s, X86_RCX, bytes);
	bool direction_known = s->flags_known & X86_DF;

	run->source = source.bits + s->segment_base[r->segment];
	run->source_known = x86_is_known(source, bytes) && direction_known;
	run->destination = destination.bits;
	run->destination_known = x86_is_known(destination, bytes) && direction_known;
	run->count = repeats(r) ? count.bits : 1;
	run->count_known = !repeats(r) || x86_is_known(count, bytes);
	run->step = s->flags & X86_DF ? -(int64_t)r->size : r->size;
}

/* rsi or rdi moves on by @done elements; unknown if @known is false. */
static void advance(const struct isa_record *r, struct isa_state *s, unsigned reg, int64_t step,
		    uint64_t done, bool known)
{
	unsigned bytes = address_bytes(r);
	struct isa_value v = x86_register(s, reg, bytes);

	if (known && x86_is_known(v, bytes))
		v = x86_known(v.bits + (uint64_t)step * done, bytes);
	else
		v = ISA_UNKNOWN;
	x86_register_set(s, reg, bytes, v);
}

static void count_down(const struct isa_record *r, struct isa_state *s, uint64_t left)
{
	if (repeats(r))
		x86_register_set(s, X86_RCX, address_bytes(r), x86_known(left, address_bytes(r)));
}

/* The lowest address of a run that starts at @at. */
static uint64_t lowest(const struct run *run, uint64_t at)
{
	return run->step < 0 ? at + (uint64_t)run->step * (run->count - 1) : at;
}

static enum isa_outcome full(struct isa_state *s)
{
	return isa_stop(s, ISA_UNMODELLED, ISA_CAUSE_SHADOW_FULL);
}

static bool move_elements(const struct isa_record *r, struct isa_state *s,
			  const struct isa_memory *m, const struct run *run)
{
	for (uint64_t i = 0; i < run->count; i++) {
		uint64_t offset = i * (uint64_t)run->step;
		struct isa_value v = isa_load(s, m, run->source + offset, r->size);

		if (!isa_store(s, run->destination + offset, r->size, v))
			return false;
	}
	return true;
}

static enum isa_outcome move(const struct isa_record *r, struct isa_state *s,
			     const struct isa_memory *m, const struct run *run)
{
	uint64_t bytes, to, from;

	if (!run->count_known || !run->destination_known) {
		isa_shadow_forget(&s->shadow);
		return ISA_NEXT;
	}
	if (__builtin_mul_overflow(run->count, (uint64_t)r->size, &bytes))
		return full(s);
	to = lowest(run, run->destination);
	from = lowest(run, run->source);
	if (!run->source_known)
		return isa_shadow_fill(&s->shadow, to, bytes, NULL) ? ISA_NEXT : full(s);
	if (bytes <= ONE_BY_ONE_BYTES)
		return move_elements(r, s, m, run) ? ISA_NEXT : ISA_UNMODELLED;
	if (to < from + bytes && from < to + bytes) /* overlaps: may repeat what it wrote */
		return isa_shadow_fill(&s->shadow, to, bytes, NULL) ? ISA_NEXT : full(s);
	return isa_shadow_copy(&s->shadow, to, from, bytes) ? ISA_NEXT : full(s);
}

X86_EVALUATOR(string_move)
{
	enum isa_outcome outcome;
	struct run run;

	start(r, s, &run);
	if (run.count_known && !run.count)
		return ISA_NEXT;
	outcome = move(r, s, m, &run);
	if (outcome != ISA_NEXT)
		return outcome;
	advance(r, s, X86_RSI, run.step, run.count, run.source_known && run.count_known);
	advance(r, s, X86_RDI, run.step, run.count, run.destination_known && run.count_known);
	count_down(r, s, 0);
	return ISA_NEXT;
}

static enum isa_outcome store(const struct isa_record *r, struct isa_state *s,
			      const struct run *run)
{
	struct isa_value v = x86_register(s, X86_RAX, r->size);
	uint64_t bytes, pattern = v.bits;

	if (!run->count_known || !run->destination_known) {
		isa_shadow_forget(&s->shadow);
		return ISA_NEXT;
	}
	if (__builtin_mul_overflow(run->count, (uint64_t)r->size, &bytes))
		return full(s);
	if (bytes > ONE_BY_ONE_BYTES) {
		for (unsigned width = r->size * 8u; width < 64; width *= 2)
			pattern |= pattern << width;
		if (!isa_shadow_fill(&s->shadow, lowest(run, run->destination), bytes,
				     x86_is_known(v, r->size) ? &pattern : NULL))
			return full(s);
		return ISA_NEXT;
	}
	for (uint64_t i = 0; i < run->count; i++) {
		if (!isa_store(s, run->destination + i * (uint64_t)run->step, r->size, v))
			return ISA_UNMODELLED;
	}
	return ISA_NEXT;
}

X86_EVALUATOR(string_store)
{
	enum isa_outcome outcome;
	struct run run;

	start(r, s, &run);
	if (run.count_known && !run.count)
		return ISA_NEXT;
	outcome = store(r, s, &run);
	if (outcome != ISA_NEXT)
		return outcome;
	advance(r, s, X86_RDI, run.step, run.count, run.destination_known && run.count_known);
	count_down(r, s, 0);
	return ISA_NEXT;
}

X86_EVALUATOR(string_load)
{
	struct isa_value v = ISA_UNKNOWN;
	struct run run;

	start(r, s, &run);
	if (run.count_known && !run.count)
		return ISA_NEXT;
	/* of a repeated one the last element stays */
	if (run.source_known && run.count_known)
		v = isa_load(s, m, run.source + (uint64_t)run.step * (run.count - 1), r->size);
	x86_register_set(s, X86_RAX, r->size, v);
	advance(r, s, X86_RSI, run.step, run.count, run.source_known && run.count_known);
	count_down(r, s, 0);
	return ISA_NEXT;
}

static enum isa_outcome compared_unknown(const struct isa_record *r, struct isa_state *s)
{
	bool scan = r->variant;

	advance(r, s, X86_RDI, 0, 0, false);
	if (!scan)
		advance(r, s, X86_RSI, 0, 0, false);
	if (repeats(r))
		x86_register_set(s, X86_RCX, address_bytes(r), ISA_UNKNOWN);
	x86_flags_forget(s, X86_STATUS_FLAGS);
	x86_unmodelled(s);
	return ISA_NEXT;
}

/* cmps (variant 0): [rsi] against [rdi]; scas (1): the accumulator against [rdi] */
X86_EVALUATOR(string_compare)
{
	struct isa_value a = x86_register(s, X86_RAX, r->size), b;
	bool scan = r->variant;
	uint64_t done = 0;
	struct run run;

	start(r, s, &run);
	if (run.count_known && !run.count)
		return ISA_NEXT;
	if (!run.count_known || !run.destination_known || (!scan && !run.source_known))
		return compared_unknown(r, s);
	while (done < run.count) {
		uint64_t offset = done * (uint64_t)run.step;

		if (!scan)
			a = isa_load(s, m, run.source + offset, r->size);
		b = isa_load(s, m, run.destination + offset, r->size);
		x86_integer_flags_compare(s, a, b, r->size);
		done++;
		if (!repeats(r))
			break;
		if (!(s->flags_known & X86_ZF) || done == COMPARED_MAX)
			return compared_unknown(r, s);
		if (!(s->flags & X86_ZF) == !(r->attributes & X86_REPNE))
			break;
	}
	if (!scan)
		advance(r, s, X86_RSI, run.step, done, true);
	advance(r, s, X86_RDI, run.step, done, true);
	count_down(r, s, run.count - done);
	return ISA_NEXT;
}
