/* SPDX-License-Identifier: MIT */
#include "collector/engine/core.h"

#include <string.h>

#include "isa/host.h"
#include "isa/shadow.h"

/* No CPU has longer instructions. */
#define FETCH_BYTES 16u
#define PAGE_BYTES  4096u
/* Fetched at once: all of most blocks. */
#define FETCH_MOST 64u
/* A breakpoint is not set where it is hit more often before: the trace ends, or, at its end, the
 * next trace is audited instead. */
#define VISITS_MOST 16u
/* A path's last first touch is at most so much of it before its end. */
#define NOTED_PART 16u

/* isa_path's `fresh` of a path without first touches. */
static const uint64_t nothing_fresh;

void core_init(struct core *c, const struct core_options *options, const struct core_memory *lent)
{
	*c = (struct core){
		.options = *options,
		.trace = {.entries = lent->entries, .kinds = lent->kinds},
		.now = &lent->states[0],
		.stop = &lent->states[1],
		.cache = lent->cache,
		.path = {.taken = lent->entries, .kinds = lent->kinds, .fresh = &nothing_fresh},
		.until_audit = options->audit,
	};
}

static struct core_action abandon(enum core_reason reason)
{
	return (struct core_action){.verdict = CORE_ABANDON, .reason = reason};
}

/* ---- code ---------------------------------------------------------------------------------- */

/* Code from @address on: FETCH_MOST bytes, fewer at the end of the page, which is passed only for
 * an instruction, and of readable memory. */
static size_t fetch(uint64_t address, uint8_t *bytes, const struct isa_memory *m)
{
	size_t to_page_end = PAGE_BYTES - (address & (PAGE_BYTES - 1));
	size_t most = to_page_end < FETCH_BYTES	 ? FETCH_BYTES
		      : to_page_end < FETCH_MOST ? to_page_end
						 : FETCH_MOST;

	if (isa_memory_fetch(m, address, bytes, most))
		return most;
	if (to_page_end < FETCH_BYTES && isa_memory_fetch(m, address, bytes, to_page_end))
		return to_page_end;
	return 0;
}

static bool excluded(const struct core *c, uint64_t pc)
{
	return pc >= c->options.exclude_begin && pc < c->options.exclude_end;
}

/* Decode the block at @address; NULL and why if its first instruction can't be. */
static const struct isa_block *decode_block(struct core *c, uint64_t address,
					    const struct isa_memory *m, enum core_reason *why)
{
	struct isa_block *b = &c->scratch;
	uint64_t pc = address, begin = isa_ticks();
	uint8_t code[FETCH_MOST], last = ISA_OTHER;
	size_t at = 0, fetched = 0;

	b->count = 0;
	b->tally = (struct isa_tally){0};
	b->next[0] = b->next[1] = NULL;
	while (b->count < ISA_BLOCK_RECORDS && pc - address <= ISA_BLOCK_BYTES - FETCH_BYTES) {
		struct isa_record *r = &b->records[b->count];

		if (fetched - at < FETCH_BYTES) {
			fetched = fetch(pc, code, m);
			at = 0;
		}
		if (!fetched || !isa_record_decode(code + at, fetched - at, pc, r)) {
			*why = fetched ? CORE_UNDECODABLE : CORE_UNREADABLE;
			break;
		}
		b->count++;
		at += r->length;
		b->tally.wait_cycles += r->wait;
		b->last = (uint8_t)(pc - address);
		pc += r->length;
		r->behind = (uint8_t)(pc - address);
		last = r->kind;
		if (last != ISA_OTHER)
			break;
	}
	if (!b->count)
		return NULL;
	b->address = address;
	b->bytes = (uint16_t)(pc - address);
	b->kind = last;
	b->tally.instructions = b->count;
	b->tally.statics = last == ISA_JUMP || last == ISA_CALL;
	b->tally.branches = isa_is_branch(last);
	if (last == ISA_OTHER)
		b->records[b->count] = (struct isa_record){0};
	c->counters.decoded += b->count;
	c->counters.decode_ticks += isa_ticks() - begin;
	return decode_cache_keep(c->cache, b);
}

/* What is in the cache was decoded here and is not excluded. */
const struct isa_block *core_block_behind(struct core *c, const struct isa_block *before,
					  bool taken, uint64_t address, const struct isa_memory *m,
					  enum core_reason *why)
{
	const struct isa_block *known = before ? decode_cache_next(c->cache, before, taken, address)
					       : decode_cache_find(c->cache, address);

	if (known)
		return known;
	*why = CORE_EXCLUDED;
	return excluded(c, address) ? NULL : decode_block(c, address, m, why);
}

/* ---- the trace ----------------------------------------------------------------------------- */

/* Does the trace go on when it is as long as was asked for? */
static bool goes_on(const struct core *c)
{
	return c->first_touches && !c->stopped && c->options.depth_most > c->options.depth;
}

/* Is it as long as was asked for? */
static bool is_deep(const struct core *c)
{
	return c->trace.count >= c->options.depth;
}

/* Is the trace full, behind a taken branch? */
static bool is_full(struct core *c)
{
	if (c->trace.count == c->options.depth && goes_on(c))
		c->limit = c->options.depth_most;
	return c->trace.count >= c->limit;
}

/* Record a taken branch; true if the trace is full now. */
static bool record_taken(struct core *c, const struct isa_record *branch, uint64_t from,
			 uint64_t to)
{
	unsigned count = c->trace.count++;

	c->trace.kinds[count] = branch->kind;
	c->trace.entries[count] = (struct isa_taken){from, to};
	return is_full(c);
}

/* Between two taken branches code is straight. */
unsigned core_visits(const struct core *c, uint64_t address, unsigned branches)
{
	uint64_t begin = c->path_begin;
	unsigned visits = 0;

	for (unsigned i = c->path_entry; i < branches; i++) {
		const struct isa_taken *e = &c->trace.entries[i];

		visits += begin <= address && address <= e->from;
		begin = e->to;
	}
	return visits;
}

/*
 * How often the predicted path since the last stop runs over @address before its end, where it is
 * awaited: a breakpoint there is hit as often too early. A thread that stands at a breakpoint does
 * not hit that one again at once; one that stands at a branch comes to its target only now. No hit
 * passes a load-exclusive: its store would fail, and the path would pass it once more.
 */
static unsigned visits_before_end(const struct core *c, uint64_t address,
				  const struct isa_memory *m)
{
	unsigned visits = core_visits(c, address, c->trace.count);

	if (visits && c->path_from_breakpoint && c->path_begin == address)
		visits--;
	return visits && isa_atomic_opens(m, address) ? VISITS_MOST + 1 : visits;
}

bool core_may_stand(const struct core *c, uint64_t address)
{
	return !c->options.restartable || restartable_allows(c->options.restartable, address);
}

/* Where the path goes first. */
static uint64_t second_place(const struct core *c)
{
	const struct isa_taken *first = &c->trace.entries[c->path_entry];
	const struct isa_block *b = decode_cache_find(c->cache, c->path_begin);

	if (c->path_entry < c->trace.count && first->from == c->path_begin)
		return first->to;
	return b ? c->path_begin + b->records[0].length : c->path_begin;
}

/* A thread that stands at a breakpoint has to leave it before that can be set again, where it does
 * not pass it by itself. False: the path does not leave. */
static bool find_stepping(struct core *c, uint64_t address, const struct isa_memory *m,
			  uint64_t *stepping)
{
	*stepping = 0;
	if (ISA_HOST_PASSES_BREAKPOINT || c->at_breakpoint != address)
		return true;
	*stepping = c->path_begin == address ? second_place(c) : c->path_begin;
	/* The kernel would step over a breakpoint at a load-exclusive, whose store then fails, each
	 * time anew. */
	return *stepping != address && core_may_stand(c, *stepping) &&
	       !isa_atomic_opens(m, *stepping) && !isa_atomic_contains(m, *stepping);
}

static struct core_action await(struct core *c, enum core_pending pending, uint64_t address,
				const struct isa_memory *m)
{
	unsigned visits = c->options.lookahead == CORE_FULL ? visits_before_end(c, address, m) : 0;
	uint64_t stepping;

	if (!core_may_stand(c, address))
		return abandon(CORE_RESTARTABLE);
	if (isa_atomic_contains(m, address))
		return abandon(CORE_EXCLUSIVE);
	if (visits > VISITS_MOST || !find_stepping(c, address, m, &stepping))
		return abandon(CORE_TOO_OFTEN);
	c->pending = pending;
	c->pending_address = address;
	c->stopped = true;
	return (struct core_action){
		.verdict = CORE_BREAK, .address = address, .skip = visits, .stepping = stepping};
}

static struct core_action resume_branch(struct core *c, const struct isa_memory *m);

/* A thread that stands at the branch and would pass a breakpoint there, which would wait for the
 * next time: it has its registers already. */
static struct core_action await_branch(struct core *c, const struct isa_record *r, uint64_t address,
				       const struct isa_memory *m)
{
	c->pending_record = *r;
	if (!c->path_from_breakpoint || address != c->path_begin || c->trace.count != c->path_entry)
		return await(c, PENDING_BRANCH, address, m);
	c->path_from_breakpoint = false;
	c->pending_address = address;
	c->counters.standing++;
	return resume_branch(c, m);
}

/* Is the trace's end to be checked? */
static bool is_audit_due(struct core *c)
{
	bool can_be_timed = c->first_touches && c->first_touches->second.kind;

	if (c->options.lookahead != CORE_FULL || !c->options.audit)
		return false;
	return --c->until_audit == 0 || (c->options.audit_untimed && !can_be_timed);
}

static struct core_action complete(struct core *c, const struct isa_memory *m)
{
	uint64_t end = isa_state_pc(c->now);

	c->counters.breakpoint_free += !c->stopped;
	if (is_audit_due(c)) {
		bool later = visits_before_end(c, end, m) > VISITS_MOST;

		if (!c->until_audit)
			c->until_audit = later ? 1 : c->options.audit;
		if (!later && !excluded(c, end) && core_may_stand(c, end) &&
		    !isa_atomic_contains(m, end))
			return await(c, PENDING_AUDIT, end, m);
	}
	return (struct core_action){.verdict = CORE_COMPLETE};
}

/* What was followed and not counted yet was resolved without a stop. */
static void count_resolved(struct core *c)
{
	const struct isa_tally *now = &c->path.tally, *before = &c->counted;

	c->counters.resolved_taken += c->trace.count - c->counted_taken;
	c->counters.resolved += now->branches - before->branches;
	c->counters.resolved_static += now->statics - before->statics;
	c->counters.evaluated += now->instructions - before->instructions;
	c->counted = *now;
	c->counted_taken = c->trace.count;
}

/* ---- following the path -------------------------------------------------------------------- */

/* Algorithm 1, FindNextUnresolvedBranch: follow what decoding alone tells. */
static struct core_action walk(struct core *c, const struct isa_memory *m)
{
	enum core_reason why = CORE_NONE;
	uint64_t pc = isa_state_pc(c->now);
	unsigned straight = 0;

	while (straight < CORE_WALK_LIMIT) {
		const struct isa_block *b = core_block_behind(c, NULL, false, pc, m, &why);
		const struct isa_record *last;

		if (!b)
			return abandon(why);
		last = &b->records[b->count - 1];
		straight += b->count;
		if (last->kind == ISA_STOP)
			return abandon(CORE_NO_SUCCESSOR);
		if (last->kind == ISA_SYSCALL && c->options.end_at_system_calls)
			return abandon(CORE_SYSTEM_CALL);
		if (!isa_is_branch(last->kind)) {
			pc += b->bytes;
			continue;
		}
		pc += b->bytes - last->length;
		if (c->options.lookahead == CORE_OFF ||
		    (last->kind != ISA_JUMP && last->kind != ISA_CALL))
			return await_branch(c, last, pc, m);
		c->path.tally.statics++;
		c->path.tally.branches++;
		if (record_taken(c, last, pc, last->target)) {
			isa_state_set_pc(c->now, last->target);
			return complete(c, m);
		}
		pc = last->target;
		straight = 0;
	}
	return abandon(CORE_TOO_FAR);
}

/* What evaluation could not do: a branch waits for its breakpoint, behind anything else that
 * control comes back from stands another. */
static struct core_action stuck(struct core *c, const struct isa_record *r, uint64_t pc,
				const struct isa_memory *m)
{
	if (isa_is_branch(r->kind))
		return await_branch(c, r, pc, m);
	if (r->kind == ISA_STOP)
		return abandon(CORE_NO_SUCCESSOR);
	c->counters.unmodelled++;
	return await(c, PENDING_BEHIND, pc + r->length, m);
}

/* Before it is recorded. */
static void note_branch(struct core *c, const struct isa_record *r, uint64_t from)
{
	const struct trace *t = &c->trace;

	if (c->values)
		site_values_branch(c->values, r, from,
				   t->count ? t->entries[t->count - 1].to : t->start, c->now);
}

/* Evaluate the path's block alone, and note what is divided by and where branches go. */
static enum isa_outcome evaluate_noting(struct core *c, const struct isa_memory *m)
{
	struct isa_path *p = &c->path;
	const struct isa_block *b = p->block;
	enum isa_outcome outcome = ISA_NEXT;
	const struct isa_record *r = b->records;

	for (const struct isa_record *end = r + b->count; r < end && outcome == ISA_NEXT; r++) {
		if (r->divides)
			site_values_division(c->values, r, c->now, m);
		outcome = isa_evaluate(r, c->now, m);
	}
	p->record = outcome == ISA_NEXT ? r : r - 1;
	if (outcome != ISA_NEXT && outcome != ISA_TAKEN)
		return outcome;
	if (outcome == ISA_TAKEN)
		note_branch(c, r - 1, b->address + b->bytes - r[-1].length);
	isa_path_leave(p, b, isa_state_shadow(c->now), outcome == ISA_TAKEN, isa_state_pc(c->now));
	return outcome;
}

/* The evaluation of the path's block stopped where it could not go on. */
static struct core_action stop_at(struct core *c, const struct isa_memory *m)
{
	const struct isa_record *r = c->path.record;

	c->path.tally.instructions += (uint32_t)(r - c->path.block->records);
	return is_deep(c) ? complete(c, m) : stuck(c, r, isa_state_pc(c->now), m);
}

struct rate_work core_work(const struct core *c, const struct cache_lines *lines)
{
	return (struct rate_work){.branches = c->trace.count,
				  .instructions = c->path.tally.instructions,
				  .lines = lines->slow,
				  .wait_ticks = lines->wait_ticks,
				  .copied = lines->copied,
				  .range_bytes = isa_state_shadow(c->now)->range_bytes,
				  .wait_cycles = c->path.tally.wait_cycles,
				  .blocks = c->first_touches ? c->first_touches->met : 0};
}

/* Did the path not run the block before? */
static bool enter_block(struct core *c, const struct isa_block *b)
{
	struct first_touches *l = c->first_touches;
	struct first_touch *met;

	if (l)
		l->lines->fresh_word = 0;
	if (isa_path_enter(&c->path, b) || !l || first_touch_enter(l, b->address))
		return false;
	c->met_new = c->trace.count;
	/* it may not be in the caches, nor may what came behind it */
	decode_cache_prefetch(b);
	if (c->trace.count < l->skipped)
		return true;
	met = first_touch_next(l);
	*met = (struct first_touch){.kind = FIRST_TOUCH_CODE,
				    .address = b->address,
				    .begin = b->address,
				    .end = b->address + b->bytes,
				    .work = core_work(c, l->lines)};
	met->work.blocks--;
	first_touch_keep(l, met);
	return true;
}

/* A word that the path did not touch before this block, which loaded or wrote it; @words were
 * written by then. 0: there is none. */
static uint64_t fresh_word(const struct core *c, uint32_t words)
{
	const struct isa_shadow *shadow = isa_state_shadow(c->now);
	uint64_t loaded = first_touch_word(c->first_touches), written;

	if (loaded && !isa_shadow_wrote(shadow, loaded, words))
		return loaded;
	if (shadow->words <= words)
		return 0;
	written = shadow->word[shadow->words - 1].address;
	if (!cache_lines_is_fresh(c->first_touches->lines, written) ||
	    isa_shadow_wrote(shadow, written, words))
		return 0;
	return written;
}

/* What path and block were when the block began. */
struct block_begin {
	bool is_new;
	unsigned branches;
	uint32_t words; /* that were written */
	uint64_t range_bytes;
};

/* What was done before the block, which was evaluated to its end. */
static inline struct rate_work work_before(const struct core *c, const struct isa_block *b,
					   const struct block_begin *begin)
{
	const struct cache_lines *lines = c->first_touches->lines;
	const struct cache_lines_count now = {lines->slow, lines->wait_ticks, lines->copied};
	const struct cache_lines_count *loaded = lines->fresh_word ? &lines->before : &now;

	return (struct rate_work){.branches = begin->branches,
				  .instructions = c->path.tally.instructions -
						  b->tally.instructions,
				  .lines = loaded->slow,
				  .wait_ticks = loaded->wait_ticks,
				  .copied = loaded->copied,
				  .range_bytes = begin->range_bytes,
				  .wait_cycles = c->path.tally.wait_cycles - b->tally.wait_cycles,
				  .blocks = c->first_touches->met - begin->is_new};
}

/* A block was evaluated to its end and may have touched a word first. */
static __attribute__((noinline)) void leave_block(struct core *c, const struct isa_block *b,
						  struct block_begin begin)
{
	struct first_touch *met;
	uint64_t word;

	if (c->path.quiet) {
		c->met_new = c->trace.count;
		return;
	}
	word = fresh_word(c, begin.words);
	if (!word)
		return;
	c->met_new = c->trace.count;
	met = first_touch_next(c->first_touches);
	*met = (struct first_touch){.kind = FIRST_TOUCH_WORD,
				    .address = word,
				    .begin = b->address,
				    .end = b->address + b->bytes,
				    .next = isa_state_pc(c->now),
				    .work = work_before(c, b, &begin)};
	first_touch_keep(c->first_touches, met);
}

/* The path came to a waypoint. False: more of it would tell nothing, and it ends. */
static __attribute__((noinline)) bool pass_waypoint(struct core *c)
{
	const struct rate_work work = core_work(c, c->first_touches->lines);

	if (c->trace.count >= c->met_new + WAYPOINTS_BEHIND_NEW)
		waypoints_note(c->waypoints, c->now, &work);
	if (c->stopped || !c->options.ends_early)
		return true;
	return c->trace.count < c->met_new + CORE_REPEATS &&
	       (c->trace.count < CORE_SLOW_BRANCHES ||
		rate_model_ps(&work, c->options.machine) < CORE_SLOW_PS);
}

/* A path that was followed farther to be timed has all that was asked for. */
static struct core_action end_early(struct core *c, enum core_reason why,
				    const struct isa_memory *m)
{
	return is_deep(c) ? complete(c, m) : abandon(why);
}

/* From how many branches on words are noted that are touched first: the last one of a path is not
 * looked for among all, but is not far from its end. */
static unsigned noted_from(const struct core *c)
{
	const struct first_touches *l = c->first_touches;
	uint64_t last = l->last.work.branches;

	return l->second.kind ? (unsigned)(last + last / NOTED_PART) : l->skipped;
}

/* Where isa_evaluate_path is to return, and for what. */
static void set_pause(struct core *c)
{
	struct isa_path *p = &c->path;
	unsigned count = c->trace.count, from = c->first_touches ? noted_from(c) : c->limit;

	p->quiet = count < from;
	p->pause = p->quiet && from < c->limit ? from : c->limit;
	if (c->waypoints && p->pause / WAYPOINT_BRANCHES > count / WAYPOINT_BRANCHES)
		p->pause = (count / WAYPOINT_BRANCHES + 1) * WAYPOINT_BRANCHES;
}

/* Evaluate from the block on as far as nothing is to be noted. */
static enum isa_outcome evaluate_from(struct core *c, const struct isa_block *b,
				      const struct isa_memory *m)
{
	struct isa_path *p = &c->path;
	enum isa_outcome outcome;

	p->block = b;
	p->changes = isa_state_shadow(c->now)->changes;
	p->count = c->trace.count;
	set_pause(c);
	outcome = c->values ? evaluate_noting(c, m) : isa_evaluate_path(p, c->now, m);
	c->trace.count = p->count;
	return outcome;
}

static struct core_action look_ahead(struct core *c, const struct isa_memory *m)
{
	const struct isa_shadow *shadow = isa_state_shadow(c->now);
	struct isa_path *p = &c->path;
	uint32_t straight = p->tally.instructions;
	const struct isa_block *b = NULL;
	enum core_reason why;
	bool taken = false;

	while (p->tally.instructions - straight < CORE_WALK_LIMIT) {
		uint32_t instructions = p->tally.instructions;
		unsigned count = c->trace.count;
		struct block_begin begin = {.words = shadow->words,
					    .range_bytes = shadow->range_bytes};
		enum isa_outcome outcome;

		b = core_block_behind(c, b, taken, isa_state_pc(c->now), m, &why);
		if (!b)
			return end_early(c, why, m);
		begin.is_new = enter_block(c, b);
		outcome = evaluate_from(c, b, m);
		begin.is_new &= p->tally.instructions - instructions == b->count;
		b = p->block;
		taken = outcome == ISA_TAKEN;
		if (!taken && outcome != ISA_NEXT)
			return stop_at(c, m);
		if (taken && is_full(c))
			return complete(c, m);
		begin.branches = c->trace.count - taken;
		if (*p->fresh || shadow->changes != p->changes)
			leave_block(c, b, begin);
		if (c->trace.count != count)
			straight = p->tally.instructions;
		if (taken && c->trace.count % WAYPOINT_BRANCHES == 0 && c->waypoints &&
		    !pass_waypoint(c))
			return complete(c, m);
	}
	return end_early(c, CORE_TOO_FAR, m);
}

static void begin_path(struct core *c)
{
	c->path_begin = isa_state_pc(c->now);
	c->path_entry = c->trace.count;
}

static struct core_action follow(struct core *c, const struct isa_memory *m)
{
	struct core_action action;

	begin_path(c);
	action = c->options.lookahead == CORE_FULL ? look_ahead(c, m) : walk(c, m);
	count_resolved(c);
	return action;
}

void core_take_stop(struct core *c)
{
	struct isa_state *claimed = c->now;

	c->now = c->stop;
	c->stop = claimed;
}

struct core_action core_begin(struct core *c, const struct isa_memory *m)
{
	core_take_stop(c);
	c->trace.start = isa_state_pc(c->now);
	c->trace.count = c->counted_taken = 0;
	c->path.tally = c->counted = (struct isa_tally){0};
	c->stopped = false;
	c->met_new = 0;
	c->limit = c->options.depth;
	c->path_from_breakpoint = isa_state_passes_breakpoint(c->now);
	c->at_breakpoint = 0;
	if (c->values)
		site_values_begin(c->values);
	memset(c->path.entered, 0, sizeof(c->path.entered));
	c->path.fresh = &nothing_fresh;
	if (c->first_touches) {
		c->path.fresh = &c->first_touches->lines->fresh_word;
		first_touch_begin(c->first_touches, c->options.depth);
	}
	if (c->waypoints)
		c->waypoints->count = 0;
	return follow(c, m);
}

/* Is the thread where and as look-ahead claimed? Other modes claim nothing but the pc. Behind an
 * unmodelled instruction only the stack pointer is sure to be as it was. */
static bool as_claimed(const struct core *c)
{
	if (c->options.lookahead != CORE_FULL)
		return true;
	if (c->pending == PENDING_BEHIND)
		return isa_state_stack_agrees(c->now, c->stop);
	return isa_state_compare(c->now, c->stop, NULL);
}

bool core_stack_agrees(const struct core *c)
{
	return c->options.lookahead == CORE_FULL && isa_state_stack_agrees(c->now, c->stop);
}

bool core_audits(const struct core *c)
{
	return c->pending == PENDING_AUDIT;
}

static struct core_action resume_branch(struct core *c, const struct isa_memory *m)
{
	uint64_t from = c->pending_address;
	bool full;

	c->counters.unresolved++;
	count_resolved(c);
	switch (isa_evaluate_branch(&c->pending_record, c->now, m)) {
	case ISA_TAKEN:
		c->counters.taken++;
		note_branch(c, &c->pending_record, from);
		full = record_taken(c, &c->pending_record, from, isa_state_pc(c->now));
		c->counted_taken = c->trace.count;
		if (!full)
			return follow(c, m);
		begin_path(c);
		return complete(c, m);
	case ISA_NEXT:
		return follow(c, m);
	default:
		return abandon(CORE_UNEVALUATED);
	}
}

struct core_action core_resume(struct core *c, const struct isa_memory *m)
{
	bool right = as_claimed(c);

	if (c->pending == PENDING_AUDIT) {
		c->counters.audits++;
		c->counters.audits_wrong += !right;
	}
	if (!right)
		return (struct core_action){.verdict = CORE_DROP, .reason = CORE_MISPREDICTED};
	if (c->pending == PENDING_AUDIT)
		return (struct core_action){.verdict = CORE_COMPLETE};
	core_take_stop(c);
	c->path_from_breakpoint = c->pending == PENDING_BEHIND;
	c->at_breakpoint = c->pending_address;
	return c->pending == PENDING_BRANCH ? resume_branch(c, m) : follow(c, m);
}

const char *core_reason_text(enum core_reason reason)
{
	static const char *const texts[CORE_REASON_COUNT] = {
#define X(reason, name, text) text,
		CORE_REASONS(X)
#undef X
	};

	return reason < CORE_REASON_COUNT ? texts[reason] : "unknown";
}

const char *core_lookahead_text(enum core_lookahead lookahead)
{
	static const char *const texts[] = {
		[CORE_FULL] = "full", [CORE_STATIC] = "static", [CORE_OFF] = "off"};

	return texts[lookahead];
}
