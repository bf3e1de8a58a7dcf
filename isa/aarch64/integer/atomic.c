/* SPDX-License-Identifier: MIT */
/*
 * Exclusives and atomics: Arm ARM, B2.9 and C6.2 (LDXR, STXR, LDADD, SWP, CAS, CASP). Look-ahead
 * follows one thread: a store-exclusive succeeds if its load was evaluated, and fails if the path
 * began between the two, for the way back to the program clears the monitor.
 */
#include "isa/aarch64/operand.h"

/* At a load it is not known yet whether something will be stored; and where a load-exclusive is
 * not evaluated the trace ends, as no stop may come behind it. So it is met more often. */
#define EXCLUSIVE_ROUNDS 3u

static bool same(struct isa_value a, struct isa_value b)
{
	return a.bits == b.bits && a.known == b.known;
}

static uint64_t address_of(const struct aarch64_place *p)
{
	return p->known ? p->address : 0;
}

static bool spins(struct isa_state *s, const struct aarch64_place *p, struct isa_value found,
		  unsigned most)
{
	return isa_spins_rounds(&s->spins, s->pc, address_of(p), found) > most;
}

/* What an atomic found and left at a place; if that is the same, it may be one that waits. */
static void note(const struct isa_record *r, struct isa_state *s, const struct aarch64_place *p,
		 struct isa_value found, struct isa_value left)
{
	if (!same(found, left))
		isa_spins_forget(&s->spins, address_of(p));
	else if (r->rn != AARCH64_SP) /* the stack is the thread's own */
		isa_spins_note(&s->spins, s->pc, address_of(p), left);
}

static enum isa_outcome stop_spinning(struct isa_state *s)
{
	return isa_stop(s, ISA_UNMODELLED, ISA_CAUSE_SPIN);
}

/* ldxr, ldxp: it has changed nothing until its store does */
AARCH64_EVALUATOR(atomic_load_exclusive)
{
	struct aarch64_place p = aarch64_place(r, s);
	struct isa_value v[2] = {ISA_UNKNOWN, ISA_UNKNOWN};

	for (unsigned i = 0; i < r->registers; i++) {
		if (p.known)
			v[i] = isa_load(s, m, p.address + i * r->bytes, r->bytes);
		v[i] = aarch64_cut(v[i], r->bytes);
	}
	if (spins(s, &p, v[0], EXCLUSIVE_ROUNDS))
		return stop_spinning(s);
	note(r, s, &p, v[0], v[0]);
	s->monitor = (struct aarch64_monitor){
		.address = p.address,
		.known = p.known,
		.bytes = (uint8_t)(r->bytes * r->registers),
		.first = v[0],
		.second = v[1],
	};
	aarch64_register_set(s, r->rd, r->size, v[0]);
	if (r->registers == 2)
		aarch64_register_set(s, r->ra, r->size, v[1]);
	return ISA_NEXT;
}

/* Is this the memory that was marked? */
static bool monitors(const struct isa_state *s, const struct isa_record *r,
		     const struct aarch64_place *p)
{
	return s->monitor.known && p->known && s->monitor.bytes == r->bytes * r->registers &&
	       s->monitor.address == p->address;
}

/* stxr, stxp */
AARCH64_EVALUATOR(atomic_store_exclusive)
{
	struct aarch64_place p = aarch64_place(r, s);
	struct isa_value v[2] = {{s->gpr[r->rd], s->gpr_known[r->rd]},
				 {s->gpr[r->ra], s->gpr_known[r->ra]}};
	const struct aarch64_monitor *was = &s->monitor;
	struct isa_value status = aarch64_known(1);

	if (s->monitor.bytes && !s->monitor.known && !p.known) { /* of the same, as programs are */
		isa_shadow_forget(&s->shadow);
		isa_spins_forget(&s->spins, address_of(&p));
		status = aarch64_known(0);
	} else if (monitors(s, r, &p)) {
		for (unsigned i = 0; i < r->registers; i++) {
			if (!isa_store(s, p.address + i * r->bytes, r->bytes, v[i]))
				return ISA_UNMODELLED;
		}
		if (!same(aarch64_cut(v[0], r->bytes), was->first) ||
		    (r->registers == 2 && !same(aarch64_cut(v[1], r->bytes), was->second)))
			isa_spins_forget(&s->spins, p.address);
		status = aarch64_known(0);
	} else if (s->monitor.bytes) { /* of other memory: whether it succeeds is the machine's */
		return isa_stop(s, ISA_UNMODELLED, ISA_CAUSE_UNMODELLED);
	}
	s->monitor.bytes = 0;
	aarch64_register_set(s, r->rm, 4, status);
	return ISA_NEXT;
}

AARCH64_EVALUATOR(atomic_clear_exclusive)
{
	s->monitor.bytes = 0;
	return ISA_NEXT;
}

/* @a < @b: 1 or 0; -1 if it is not known */
static int less(struct isa_value a, struct isa_value b, unsigned bytes, bool is_signed)
{
	uint64_t flip = is_signed ? isa_sign(bytes) : 0;

	if (!aarch64_is_known(a) || !aarch64_is_known(b))
		return -1;
	return (a.bits ^ flip) < (b.bits ^ flip);
}

/* @least: the lesser one of both */
static struct isa_value extreme(struct isa_value a, struct isa_value b, int a_is_less, bool least)
{
	if (a_is_less < 0)
		return isa_either(a, b);
	return (a_is_less == 1) == least ? a : b;
}

static struct isa_value modified(const struct isa_record *r, struct isa_value old,
				 struct isa_value v)
{
	switch (r->variant) {
	case AARCH64_LDADD:
		return aarch64_sum(old, v, aarch64_known(0));
	case AARCH64_LDCLR:
		return isa_and(old, isa_not(v));
	case AARCH64_LDEOR:
		return isa_xor(old, v);
	case AARCH64_LDSET:
		return isa_or(old, v);
	case AARCH64_LDSMAX:
	case AARCH64_LDSMIN:
		return extreme(old, v, less(old, v, r->bytes, true), r->variant == AARCH64_LDSMIN);
	case AARCH64_LDUMAX:
	case AARCH64_LDUMIN:
		return extreme(old, v, less(old, v, r->bytes, false), r->variant == AARCH64_LDUMIN);
	}
	return v; /* swp */
}

/* ldadd and the like, swp */
AARCH64_EVALUATOR(atomic_modify)
{
	struct aarch64_place p = aarch64_place(r, s);
	struct isa_value v = aarch64_cut((struct isa_value){s->gpr[r->rm], s->gpr_known[r->rm]},
					 r->bytes);
	struct isa_value old = aarch64_cut(ISA_UNKNOWN, r->bytes), new;

	if (!p.known) {
		isa_shadow_forget(&s->shadow);
	} else {
		old = aarch64_cut(isa_load(s, m, p.address, r->bytes), r->bytes);
		if (spins(s, &p, old, 0))
			return stop_spinning(s);
		new = aarch64_cut(modified(r, old, v), r->bytes);
		if (!isa_store(s, p.address, r->bytes, new))
			return ISA_UNMODELLED;
		note(r, s, &p, old, new);
	}
	aarch64_register_set(s, r->rd, r->size, old);
	return ISA_NEXT;
}

/* Are they equal? 1 or 0; -1 if it is not known. */
static int equal(struct isa_value a, struct isa_value b)
{
	if ((a.bits ^ b.bits) & a.known & b.known)
		return 0;
	return aarch64_is_known(a) && aarch64_is_known(b) ? 1 : -1;
}

/* One register's part: rm is compared with the old value and gets it, rd is stored if all equal. */
static bool swap_one(struct isa_state *s, uint64_t address, unsigned bytes, unsigned rd,
		     struct isa_value old, int all_equal)
{
	struct isa_value v = aarch64_cut((struct isa_value){s->gpr[rd], s->gpr_known[rd]}, bytes);

	if (!all_equal)
		return true;
	return isa_store(s, address, bytes, all_equal < 0 ? isa_either(v, old) : v);
}

static enum isa_outcome compare_swap(const struct isa_record *r, struct isa_state *s,
				     const struct isa_memory *m, unsigned count)
{
	struct aarch64_place p = aarch64_place(r, s);
	struct isa_value old[2];
	int all_equal = 1;

	for (unsigned i = 0; i < count; i++) {
		unsigned reg = aarch64_pair_register(r->rm, i);
		struct isa_value wanted = {s->gpr[reg], s->gpr_known[reg]};
		int part;

		old[i] = p.known ? isa_load(s, m, p.address + i * r->bytes, r->bytes) : ISA_UNKNOWN;
		old[i] = aarch64_cut(old[i], r->bytes);
		part = equal(aarch64_cut(wanted, r->bytes), old[i]);
		if (!part || (all_equal > 0 && part < 0))
			all_equal = part;
	}
	if (p.known && spins(s, &p, old[0], 0))
		return stop_spinning(s);
	if (!p.known)
		isa_shadow_forget(&s->shadow);
	for (unsigned i = 0; p.known && i < count; i++) {
		if (!swap_one(s, p.address + i * r->bytes, r->bytes,
			      aarch64_pair_register(r->rd, i), old[i], all_equal))
			return ISA_UNMODELLED;
	}
	if (p.known && !all_equal)
		note(r, s, &p, old[0], old[0]);
	else if (p.known)
		isa_spins_forget(&s->spins, p.address);
	for (unsigned i = 0; i < count; i++)
		aarch64_register_set(s, aarch64_pair_register(r->rm, i), r->size, old[i]);
	return ISA_NEXT;
}

AARCH64_EVALUATOR(atomic_compare_swap)
{
	return compare_swap(r, s, m, 1);
}

AARCH64_EVALUATOR(atomic_compare_swap_pair)
{
	return compare_swap(r, s, m, 2);
}

/* ---- where no stop may come: Arm ARM, C4.1, "Load/store exclusive", "Barriers" --------------- */

#define INSTRUCTIONS 16u
#define BYTES	     4u

/* LDXR and its kin; LDXP. Not CASP, which has the smaller sizes of the latter. */
static bool opens(uint32_t word)
{
	return aarch64_matches(word, 0x3fe00000, 0x08400000) ||
	       aarch64_matches(word, 0xbfe00000, 0x88600000);
}

/* STXR, STXP, CLREX; and what code does not run on behind: B, BR, RET. */
static bool closes(uint32_t word)
{
	return aarch64_matches(word, 0x3fe00000, 0x08000000) ||
	       aarch64_matches(word, 0xbfe00000, 0x88200000) ||
	       aarch64_matches(word, 0xfffff0ff, 0xd503305f) ||
	       aarch64_matches(word, 0xfc000000, 0x14000000) ||
	       aarch64_matches(word, 0xfe000000, 0xd6000000);
}

static bool fetch(const struct isa_memory *m, uint64_t address, uint32_t *word)
{
	return isa_memory_fetch(m, address, word, sizeof(*word));
}

bool isa_atomic_contains(const struct isa_memory *m, uint64_t address)
{
	for (unsigned i = 1; i <= INSTRUCTIONS && address >= i * BYTES; i++) {
		uint32_t word;

		if (!fetch(m, address - i * BYTES, &word) || closes(word))
			return false;
		if (opens(word))
			return true;
	}
	return false;
}

bool isa_atomic_opens(const struct isa_memory *m, uint64_t address)
{
	uint32_t word;

	return fetch(m, address, &word) && opens(word);
}
