/* SPDX-License-Identifier: MIT */
#include "collector/core.h"

#include <elf.h>

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#endif

/* No CPU has longer instructions. */
#define FETCH_BYTES 16u
#define PAGE_BYTES  4096u

int core_init(struct core *c, const struct core_options *options, struct trace_entry *entries,
	      struct core_cached *cache)
{
	*c = (struct core){.options = *options, .trace = {.entries = entries}, .cache = cache};
	c->decoder = isa_decoder_new(HOST_MACHINE);
	return c->decoder ? 0 : -1;
}

void core_deinit(struct core *c)
{
	isa_decoder_free(c->decoder);
	c->decoder = NULL;
}

static struct core_action abandon(enum core_reason reason)
{
	return (struct core_action){.verdict = CORE_ABANDON, .reason = reason};
}

/* The instruction's bytes; fewer at the end of readable memory. */
static size_t fetch(uint64_t address, uint8_t *bytes, const struct isa_memory *m)
{
	size_t to_page_end = PAGE_BYTES - (address & (PAGE_BYTES - 1));

	if (m->read(m->context, address, bytes, FETCH_BYTES))
		return FETCH_BYTES;
	if (to_page_end < FETCH_BYTES && m->read(m->context, address, bytes, to_page_end))
		return to_page_end;
	return 0;
}

static const struct isa_record *decode(struct core *c, uint64_t address, const struct isa_memory *m,
				       enum core_reason *why)
{
	struct core_cached *slot = &c->cache[(address ^ address >> 10) & (CORE_CACHE_SLOTS - 1)];
	uint8_t bytes[FETCH_BYTES];
	size_t size;

	if (slot->address == address && address)
		return &slot->record;
	slot->address = 0;
	size = fetch(address, bytes, m);
	if (!size) {
		*why = CORE_UNREADABLE;
		return NULL;
	}
	if (!isa_record_decode(c->decoder, bytes, size, address, &slot->record)) {
		*why = CORE_UNDECODABLE;
		return NULL;
	}
	c->counters.decoded++;
	slot->address = address;
	return &slot->record;
}

/* Record a taken branch; true if the trace is full now. */
static bool record_taken(struct core *c, uint64_t from, uint64_t to)
{
	c->trace.entries[c->trace.count++] = (struct trace_entry){from, to};
	return c->trace.count >= c->options.depth;
}

static bool resolved_by_decoding(const struct core *c, const struct isa_record *r)
{
	return c->options.lookahead == CORE_STATIC && (r->kind == ISA_JUMP || r->kind == ISA_CALL);
}

static bool excluded(const struct core *c, uint64_t pc)
{
	return pc >= c->options.exclude_begin && pc < c->options.exclude_end;
}

/* Algorithm 1, FindNextUnresolvedBranch: follow what decoding alone tells. */
static struct core_action walk(struct core *c, uint64_t pc, const struct isa_memory *m)
{
	enum core_reason why = CORE_NONE;

	for (unsigned straight = 0; straight < CORE_WALK_LIMIT; straight++) {
		const struct isa_record *r = decode(c, pc, m, &why);

		if (!r)
			return abandon(why);
		if (excluded(c, pc))
			return abandon(CORE_EXCLUDED);
		if (r->kind == ISA_STOP)
			return abandon(CORE_NO_SUCCESSOR);
		if (resolved_by_decoding(c, r)) {
			c->counters.resolved++;
			if (record_taken(c, pc, r->target))
				return (struct core_action){.verdict = CORE_COMPLETE};
			pc = r->target;
			straight = 0;
		} else if (isa_is_branch(r->kind)) {
			c->pending = *r;
			c->pending_address = pc;
			return (struct core_action){.verdict = CORE_BREAK, .address = pc};
		} else {
			pc += r->length;
		}
	}
	return abandon(CORE_TOO_FAR);
}

struct core_action core_begin(struct core *c, struct isa_state *s, const struct isa_memory *m)
{
	c->trace.start = isa_state_pc(s);
	c->trace.count = 0;
	return walk(c, c->trace.start, m);
}

struct core_action core_resume(struct core *c, struct isa_state *s, const struct isa_memory *m)
{
	uint64_t from = c->pending_address;

	c->counters.unresolved++;
	switch (isa_evaluate_branch(&c->pending, s, m)) {
	case ISA_TAKEN:
		c->counters.taken++;
		if (record_taken(c, from, isa_state_pc(s)))
			return (struct core_action){.verdict = CORE_COMPLETE};
		break;
	case ISA_NEXT:
		break;
	default:
		return abandon(CORE_UNEVALUATED);
	}
	return walk(c, isa_state_pc(s), m);
}

const char *core_reason_text(enum core_reason reason)
{
	static const char *const texts[CORE_REASON_COUNT] = {
		[CORE_NONE] = "none",
		[CORE_UNREADABLE] = "code could not be read",
		[CORE_UNDECODABLE] = "not an instruction",
		[CORE_EXCLUDED] = "entered the collector",
		[CORE_NO_SUCCESSOR] = "no successor",
		[CORE_TOO_FAR] = "no branch in reach",
		[CORE_UNEVALUATED] = "target could not be read",
	};

	return reason < CORE_REASON_COUNT ? texts[reason] : "unknown";
}
