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

void core_init(struct core *c, const struct core_options *options, const struct core_memory *lent)
{
	*c = (struct core){
		.options = *options,
		.trace = {.entries = lent->entries, .kinds = lent->kinds},
		.now = &lent->states[0],
		.stop = &lent->states[1],
		.cache = lent->cache,
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
static const struct decode_cache_block *
decode_block(struct core *c, uint64_t address, const struct isa_memory *m, enum core_reason *why)
{
	struct decode_cache_block *b = &c->scratch;
	uint64_t pc = address, begin = isa_ticks();
	uint8_t code[FETCH_MOST];
	size_t at = 0, fetched = 0;

	b->count = b->wait = b->next[0] = b->next[1] = 0;
	while (b->count < BLOCK_RECORDS_MAX) {
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
		b->wait += r->wait;
		pc += r->length;
		if (r->kind != ISA_OTHER)
			break;
	}
	if (!b->count)
		return NULL;
	b->address = address;
	b->bytes = (uint16_t)(pc - address);
	b->ends_static = b->records[b->count - 1].kind == ISA_JUMP ||
			 b->records[b->count - 1].kind == ISA_CALL;
	c->counters.decoded += b->count;
	c->counters.decode_ticks += isa_ticks() - begin;
	return decode_cache_keep(c->cache, b);
}

/* core_block_behind, in the loop that look-ahead is: a call costs it 3 % more instructions. What is
 * in the cache was decoded here and is not excluded. */
static inline __attribute__((always_inline)) const struct decode_cache_block *
block_behind(struct core *c, const struct decode_cache_block *before, bool taken, uint64_t address,
	     const struct isa_memory *m, enum core_reason *why)
{
	const struct decode_cache_block *known = before ? decode_cache_next(c->cache, before, taken,
									    address)
							: decode_cache_find(c->cache, address);

	if (known)
		return known;
	*why = CORE_EXCLUDED;
	return excluded(c, address) ? NULL : decode_block(c, address, m, why);
}

const struct decode_cache_block *
core_block_behind(struct core *c, const struct decode_cache_block *before, bool taken,
		  uint64_t address, const struct isa_memory *m, enum core_reason *why)
{
	return block_behind(c, before, taken, address, m, why);
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

/* Record a taken branch; true if the trace is full now. */
static inline __attribute__((always_inline)) bool
record_taken(struct core *c, const struct isa_record *branch, uint64_t from, uint64_t to)
{
	unsigned count = c->trace.count;

	c->trace.kinds[count] = branch->kind;
	c->trace.entries[count] = (struct trace_entry){from, to};
	c->trace.count = ++count;
	if (count < c->limit)
		return false;
	if (count == c->options.depth && goes_on(c))
		c->limit = c->options.depth_most;
	return count >= c->limit;
}

/* Between two taken branches code is straight. */
unsigned core_visits(const struct core *c, uint64_t address, unsigned branches)
{
	uint64_t begin = c->path_begin;
	unsigned visits = 0;

	for (unsigned i = c->path_entry; i < branches; i++) {
		const struct trace_entry *e = &c->trace.entries[i];

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
	const struct trace_entry *first = &c->trace.entries[c->path_entry];
	const struct decode_cache_block *b = decode_cache_find(c->cache, c->path_begin);

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

/* What was taken and not counted yet was resolved without a stop. */
static void count_resolved(struct core *c)
{
	unsigned taken = c->trace.count - c->counted;

	c->counters.resolved_taken += taken;
	c->counters.resolved += taken;
	c->counted = c->trace.count;
}

/* ---- following the path -------------------------------------------------------------------- */

/* Algorithm 1, FindNextUnresolvedBranch: follow what decoding alone tells. */
static struct core_action walk(struct core *c, const struct isa_memory *m)
{
	enum core_reason why = CORE_NONE;
	uint64_t pc = isa_state_pc(c->now);
	unsigned straight = 0;

	while (straight < CORE_WALK_LIMIT) {
		const struct decode_cache_block *b = block_behind(c, NULL, false, pc, m, &why);
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
		c->counters.resolved_static++;
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

/* Evaluate as isa_evaluate_line does, which notes what is divided by. */
static const struct isa_record *evaluate_noting(struct core *c, const struct isa_record *r,
						const struct isa_record *end,
						const struct isa_memory *m,
						enum isa_outcome *outcome)
{
	*outcome = ISA_NEXT;
	for (; r < end && *outcome == ISA_NEXT; r++) {
		if (r->divides)
			site_values_division(c->values, r, c->now, m);
		*outcome = isa_evaluate(r, c->now, m);
	}
	return *outcome == ISA_NEXT ? end : r - 1;
}

/* The block's evaluation stopped at @r, which it could not do. */
static struct core_action stop_at(struct core *c, const struct decode_cache_block *b,
				  const struct isa_record *r, const struct isa_memory *m)
{
	c->counters.evaluated += (uint64_t)(r - b->records);
	return is_deep(c) ? complete(c, m) : stuck(c, r, isa_state_pc(c->now), m);
}

/* Evaluate the block at the state's pc up to its end. True to go on, *taken or not; else *action is
 * what to do. @values: they are wanted. */
static inline __attribute__((always_inline)) bool
evaluate_block(struct core *c, const struct decode_cache_block *b, const struct isa_memory *m,
	       bool values, bool *taken, struct core_action *action)
{
	const struct isa_record *end = &b->records[b->count], *r;
	enum isa_outcome outcome;
	uint64_t from;

	if (values)
		r = evaluate_noting(c, b->records, end, m, &outcome);
	else
		r = isa_evaluate_line(b->records, end, c->now, m, &outcome);
	*taken = outcome == ISA_TAKEN;
	if (outcome != ISA_NEXT && outcome != ISA_TAKEN) {
		*action = stop_at(c, b, r, m);
		return false;
	}
	c->counters.evaluated += b->count;
	c->wait_cycles += b->wait;
	if (!*taken) {
		c->counters.resolved += isa_is_branch(end[-1].kind);
		return true;
	}
	from = b->address + b->bytes - r->length; /* only the last one can be */
	if (values)
		note_branch(c, r, from);
	c->counters.resolved_static += b->ends_static;
	if (!record_taken(c, r, from, isa_state_pc(c->now)))
		return true;
	*action = complete(c, m);
	return false;
}

struct rate_work core_work(const struct core *c, const struct cache_lines *lines)
{
	return (struct rate_work){.branches = c->trace.count,
				  .instructions = c->counters.evaluated - c->begun_evaluated,
				  .lines = lines->slow,
				  .wait_ticks = lines->wait_ticks,
				  .copied = lines->copied,
				  .range_bytes = isa_state_shadow(c->now)->range_bytes,
				  .wait_cycles = c->wait_cycles,
				  .blocks = c->first_touches ? c->first_touches->met : 0};
}

/* Did the path not run it before? */
static inline __attribute__((always_inline)) bool enter_block(struct core *c,
							      const struct decode_cache_block *b)
{
	struct first_touches *l = c->first_touches;
	uint64_t *entered = &c->entered[(uintptr_t)b / DECODE_CACHE_UNIT % CORE_ENTERED];
	struct first_touch *met;

	l->lines->fresh_word = 0;
	if (*entered == b->address)
		return false;
	*entered = b->address;
	if (first_touch_enter(l, b->address))
		return false;
	c->met_new = c->trace.count;
	/* it may not be in the caches, nor may what came behind it */
	decode_cache_prefetch(c->cache, b);
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
static inline struct rate_work work_before(const struct core *c, const struct decode_cache_block *b,
					   const struct block_begin *begin)
{
	const struct cache_lines *lines = c->first_touches->lines;
	const struct cache_lines_count now = {lines->slow, lines->wait_ticks, lines->copied};
	const struct cache_lines_count *loaded = lines->fresh_word ? &lines->before : &now;

	return (struct rate_work){.branches = begin->branches,
				  .instructions = c->counters.evaluated - c->begun_evaluated -
						  b->count,
				  .lines = loaded->slow,
				  .wait_ticks = loaded->wait_ticks,
				  .copied = loaded->copied,
				  .range_bytes = begin->range_bytes,
				  .wait_cycles = c->wait_cycles - b->wait,
				  .blocks = c->first_touches->met - begin->is_new};
}

/* A block was evaluated to its end and may have touched a word first. */
static __attribute__((noinline)) void
leave_block(struct core *c, const struct decode_cache_block *b, struct block_begin begin)
{
	struct first_touch *met;
	uint64_t word;

	if (begin.branches < c->first_touches->skipped)
		return;
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

/* @touches, @values: they are wanted. */
static inline __attribute__((always_inline)) struct core_action
look_ahead_for(struct core *c, const struct isa_memory *m, bool touches, bool values)
{
	const struct isa_shadow *shadow = isa_state_shadow(c->now);
	const struct decode_cache_block *b = NULL;
	struct core_action action;
	enum core_reason why;
	unsigned straight = 0;
	bool taken = false;

	while (straight < CORE_WALK_LIMIT) {
		unsigned branches = c->trace.count;
		uint32_t words = shadow->words;
		uint64_t range_bytes = shadow->range_bytes;
		bool is_new = false;

		b = block_behind(c, b, taken, isa_state_pc(c->now), m, &why);
		if (!b)
			return end_early(c, why, m);
		if (touches)
			is_new = enter_block(c, b);
		if (!evaluate_block(c, b, m, values, &taken, &action))
			return action;
		if (touches && (c->first_touches->lines->fresh_word || shadow->words != words))
			leave_block(c, b,
				    (struct block_begin){is_new, branches, words, range_bytes});
		if (!taken) {
			straight += b->count;
			continue;
		}
		straight = 0;
		if (touches && c->trace.count % WAYPOINT_BRANCHES == 0 && c->waypoints &&
		    !pass_waypoint(c))
			return complete(c, m);
	}
	return end_early(c, CORE_TOO_FAR, m);
}

/* The loop asks for nothing that most traces do without. */
static struct core_action look_ahead(struct core *c, const struct isa_memory *m)
{
	if (c->first_touches && !c->values)
		return look_ahead_for(c, m, true, false);
	return look_ahead_for(c, m, c->first_touches, c->values);
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
	c->trace.count = c->counted = 0;
	c->stopped = false;
	c->met_new = 0;
	c->wait_cycles = 0;
	c->limit = c->options.depth;
	c->path_from_breakpoint = isa_state_passes_breakpoint(c->now);
	c->at_breakpoint = 0;
	c->begun_evaluated = c->counters.evaluated;
	if (c->values)
		site_values_begin(c->values);
	memset(c->entered, 0, sizeof(c->entered));
	if (c->first_touches)
		first_touch_begin(c->first_touches, c->options.depth);
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
		c->counted = c->trace.count;
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
