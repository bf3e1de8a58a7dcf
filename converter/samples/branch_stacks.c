/* SPDX-License-Identifier: MIT */
#include "converter/samples/branch_stacks.h"

#include <string.h>

#include "base/order.h"

/* Start zeroed; frees. */
static void stack_samples_deinit(struct stack_samples *s)
{
	struct stack_sample *item;

	vector_each (&s->items, item)
		vector_deinit(&item->stack);
	vector_deinit(&s->items);
	map_deinit(&s->threads);
}

/* Take note of a thread's; that of its trace before is gone. 0, or -1 without memory. */
static int stack_samples_add(struct stack_samples *s, const struct address_space *space,
			     const struct perfdata_record *record)
{
	const struct perfdata_sample *from = &record->sample;
	struct stack_sample *to = map_item(&s->threads, from->tid, 0, &s->items,
					   (struct stack_sample){0});

	if (!to)
		return -1;
	to->space = space;
	to->time = record->time;
	to->left = from->address;
	to->register_mask = from->register_mask;
	if (from->register_mask)
		memcpy(to->registers, from->registers,
		       (unsigned)__builtin_popcountll(from->register_mask) *
			       sizeof(*to->registers));
	to->stack.count = 0;
	if (!from->stack_bytes)
		return 0;
	if (vector_reserve(&to->stack, from->stack_bytes))
		return -1;
	memcpy(to->stack.items, from->stack, from->stack_bytes);
	to->stack.count = from->stack_bytes;
	return 0;
}

/* The copied stack of the thread's trace that began at @time, until the next is added; or NULL. */
static const struct stack_sample *stack_samples_find(const struct stack_samples *s, uint32_t tid,
						     uint64_t time)
{
	const struct map_entry *e = map_find(&s->threads, tid, 0);

	return e && e->n && s->items.items[e->n - 1].time == time ? &s->items.items[e->n - 1]
								  : NULL;
}

void branch_stacks_init(struct branch_stacks *s, struct funnel *funnel,
			struct step_counter *counter, uint64_t stride, struct traces *traces)
{
	*s = (struct branch_stacks){
		.funnel = funnel, .counter = counter, .stride = stride, .traces = traces};
}

void branch_stacks_deinit(struct branch_stacks *s)
{
	map_deinit(&s->threads);
	vector_deinit(&s->ends);
	stack_samples_deinit(&s->copies);
}

static bool same_branch(const struct perfdata_branch *a, const struct perfdata_branch *b)
{
	return a->from == b->from && a->to == b->to;
}

/*
 * Some Intel CPUs (Skylake) give the newest branch twice. A real loop that took the same backward
 * branch twice looks alike; autofdo's rule, kept here, tells them by the length of the loop. The
 * same forward branch twice in a row cannot be: it would have to run backwards in between. (autofdo
 * drops those too, by letting the negative distance wrap.)
 */
static bool is_doubled(const struct branch_stacks *s, const struct perfdata_branch *newest,
		       const struct perfdata_branch *next)
{
	int64_t back = (int64_t)(newest->from - newest->to);

	return same_branch(newest, next) && (back < 0 || (uint64_t)back > s->stride);
}

/* Where the last stack of thread @tid is, a zeroed one for its first; NULL without memory. */
static struct stack_ends *ends_of(struct branch_stacks *s, uint32_t tid, size_t *number)
{
	struct stack_ends *ends = map_item(&s->threads, tid, 0, &s->ends, (struct stack_ends){0});

	*number = ends ? (size_t)(ends - s->ends.items) + 1 : 0;
	return ends;
}

/*
 * Which entry of this stack was in the thread's stack before already? softlbr cuts a long trace in
 * several records of one time, each repeating one entry of its neighbour; those of other threads
 * may stand in between. @repeated is the entry's index, or the stack's length if there is none;
 * @later: the record before was the trace's earlier part. 0, or -1 without memory.
 */
static int find_repeated(struct branch_stacks *s, const struct perfdata_record *record,
			 size_t *repeated, bool *later)
{
	const struct perfdata_sample *sample = &record->sample;
	const struct perfdata_branch *b = sample->branches;
	size_t n = sample->branch_count, number;
	struct stack_ends *ends = ends_of(s, sample->tid, &number);

	if (!ends)
		return -1;
	if (record->time && record->time == ends->time) {
		if (same_branch(&b[n - 1], &ends->newest))
			*repeated = n - 1;
		else if (same_branch(&b[0], &ends->oldest))
			*repeated = 0;
	}
	*later = *repeated == n - 1 && s->last == number;
	s->last = number;
	*ends = (struct stack_ends){record->time, b[0], b[n - 1], *repeated < n ? ends->trace : 0,
				    (*repeated == n - 1 ? ends->count - 1 : 0) + n};
	return 0;
}

/* Without every branch in the stack, what lies between two of them is unknown. */
bool branch_stacks_are_filtered(const struct perf_event_attr *attr)
{
	return attr->branch_sample_type && !(attr->branch_sample_type & PERF_SAMPLE_BRANCH_ANY);
}

bool branch_stacks_are_calls(const struct perf_event_attr *attr)
{
	return attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/* Hand a call stack on. */
static int watch_call_stack(struct branch_stacks *s, struct address_space *space,
			    const struct perfdata_record *record)
{
	const struct perfdata_sample *sample = &record->sample;
	struct traces *t = s->traces;
	const size_t first = t->entries.count;
	struct trace handed = {.times = 1 + sample->repeats,
			       .is_call_stack = true,
			       .stack = stack_samples_find(&s->copies, sample->tid, record->time)};
	int rc = 0;

	for (size_t i = sample->branch_count; !rc && i-- > 0;)
		if (sample->branches[i].from)
			rc = traces_add(t, space, sample->branches[i].from, sample->branches[i].to);
	if (!rc)
		rc = traces_add(t, space, sample->ip, sample->ip);
	handed.entries = vector_at(&t->entries, first);
	handed.count = t->entries.count - first;
	if (!rc)
		rc = s->watcher->take(s->watcher->context, t, &handed);
	t->entries.count = first;
	return rc;
}

/* Its addresses say nothing about what is mapped here. */
static bool is_guest(const struct perfdata_record *record)
{
	unsigned mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

/* Note what an entry tells beside that it was taken. */
static int note_flags(struct address_space *space, const struct perfdata_branch *b, uint64_t times)
{
	struct map_entry *e;

	if (!(b->flags & PERFDATA_BRANCH_MISPREDICTED))
		return 0;
	e = map_at(&space->branches, b->from, b->to);
	if (!e)
		return -1;
	e->m += times;
	return 0;
}

static enum branch_prediction prediction_of(const struct perfdata_branch *b)
{
	if (b->flags & PERFDATA_BRANCH_MISPREDICTED)
		return BRANCH_MISPREDICTED;
	return b->flags & PERFDATA_BRANCH_PREDICTED ? BRANCH_PREDICTED : BRANCH_UNTOLD;
}

static void count_predictions(struct funnel *f, const struct perfdata_sample *sample,
			      size_t repeated)
{
	const uint64_t times = 1 + sample->repeats;

	for (size_t i = 0; i < sample->branch_count; i++) {
		enum branch_prediction told = prediction_of(&sample->branches[i]);

		if (i == repeated || !perfdata_branch_is_whole(&sample->branches[i]))
			continue;
		f->entries_predicted += told == BRANCH_PREDICTED ? times : 0;
		f->entries_mispredicted += told == BRANCH_MISPREDICTED ? times : 0;
	}
}

/* The cycles of an entry are those since the one before it. @newer is NULL if that is not known. */
static struct step_told told_of(const struct perfdata_branch *b,
				const struct perfdata_branch *newer)
{
	return (struct step_told){newer ? PERFDATA_BRANCH_CYCLES(newer->flags) : 0,
				  (uint8_t)prediction_of(b)};
}

/* The entry before @newest, in time, of the same branch; behind the last if there is none. *cycles
 * = those between the two. */
static size_t find_same(const struct perfdata_sample *sample, size_t newest, uint64_t *cycles)
{
	const struct perfdata_branch *b = sample->branches;
	size_t i = newest;

	*cycles = 0;
	do {
		uint64_t more = PERFDATA_BRANCH_CYCLES(b[i].flags);

		if (!more) /* not known */
			return sample->branch_count;
		*cycles += more;
	} while (++i < sample->branch_count && !same_branch(&b[i], &b[newest]));
	return i;
}

/* How long a loop's iterations took: from one time that a backward branch was taken to the next. */
static int note_iterations(struct address_space *space, const struct perfdata_sample *sample,
			   uint64_t times)
{
	struct branch_details *details = address_space_details(space);

	for (size_t i = 0; details && i < sample->branch_count; i++) {
		const struct perfdata_branch *b = &sample->branches[i];
		struct branch_latency l = {b->to, b->from, 0, BRANCH_UNTOLD};
		uint64_t cycles;

		if (b->to > b->from || !PERFDATA_BRANCH_CYCLES(b->flags) ||
		    !perfdata_branch_is_whole(b) ||
		    find_same(sample, i, &cycles) == sample->branch_count)
			continue;
		l.cycles = (uint16_t)(cycles < UINT16_MAX ? cycles : UINT16_MAX);
		if (branch_details_add_latency(&details->iterations, &l, times))
			return -1;
	}
	return details ? 0 : -1;
}

/* A range whose branch has been counted with the stack before. */
static int count_range(struct address_space *space, uint64_t begin, uint64_t end, uint64_t times)
{
	struct map_entry *e = map_at(&space->ranges, begin, end);

	if (!e)
		return -1;
	e->n += times;
	return 0;
}

/* The trace that begins now goes on with this one; its own number if with none. */
static size_t whole_of(struct branch_stacks *s)
{
	const size_t number = s->traces->begins.count;
	struct stack_ends *ends = s->last && !s->watcher ? &s->ends.items[s->last - 1] : NULL;

	if (!ends)
		return number;
	if (!ends->trace)
		ends->trace = number + 1;
	return ends->trace - 1;
}

/* The entries from @first on are a trace, or the later part of the one before. */
static int end_trace(struct branch_stacks *s, size_t first, bool later_part, uint64_t weight,
		     uint64_t times)
{
	struct traces *t = s->traces;

	traces_reverse(t, first);
	if (t->entries.count == first || (later_part && t->begins.count))
		return 0;
	if (s->watcher) {
		if (traces_hand_on(t, first, s->watcher))
			return -1;
		first = 0;
		t->stack = s->copy;
	}
	return traces_begin(t, first, whole_of(s), weight, times);
}

/*
 * An entry that is no branch from one place to another tells where a range begins or ends: up to a
 * branch that was not taken, as the newest one, code was run; in the middle, it was run on. @newer
 * is the entry before it in the stack, and NULL behind one whose beginning is not known.
 */
static int add_part(struct branch_stacks *s, struct address_space *space,
		    const struct perfdata_branch *b, const struct perfdata_branch **newer,
		    uint64_t times)
{
	const struct perfdata_branch *end = *newer;

	if (b->flags & PERFDATA_BRANCH_NOT_TAKEN) {
		s->funnel->entries_not_taken += times;
		if (!end)
			*newer = b;
		return 0;
	}
	s->funnel->entries_one_end += times;
	*newer = b->from ? b : NULL;
	return end && b->to ? count_range(space, b->to, end->from, times) : 0;
}

int branch_stacks_finish(struct branch_stacks *s)
{
	return s->watcher ? traces_hand_on(s->traces, s->traces->entries.count, s->watcher) : 0;
}

int branch_stacks_add_copy(struct branch_stacks *s, const struct address_space *space,
			   const struct perfdata_record *record)
{
	if (!s->watcher)
		return 0;
	/* what the trace before has is forgotten now */
	return branch_stacks_finish(s) ? -1 : stack_samples_add(&s->copies, space, record);
}

/* One stack while its entries are counted, newest first. */
struct stack_count {
	struct branch_stacks *s;
	struct address_space *space;
	const struct perfdata_sample *sample;
	uint64_t oldest_ns; /* when the oldest entry was taken, as far as that is told; 0 = not */
	uint64_t times;	    /* the stack stands for */
	size_t repeated;    /* the entry that the record before has, too; branch_count = none */
	bool softlbr;	    /* who recorded it: no entry is doubled */
	bool filtered;	    /* the event leaves branches out: there are no ranges */
	const struct perfdata_branch *newer; /* the whole entry before; NULL: not known */
	/* steps that are not handed to the counter yet, and what the entries tell of them */
	struct step batch[64];
	struct step_told told[64];
	size_t count;
};

/* Hand the batch to the counter. */
static int stack_count_flush(struct stack_count *c)
{
	size_t count = c->count;

	c->count = 0;
	return step_counter_add(c->s->counter, c->space, c->batch, c->s->details ? c->told : NULL,
				count);
}

/* Is the entry no branch that was taken as a whole? *rc: what counting it as such came to. */
static bool stack_count_is_part(struct stack_count *c, size_t i, int *rc)
{
	const struct perfdata_branch *b = &c->sample->branches[i];
	struct funnel *f = c->s->funnel;

	*rc = 0;
	if (!b->from && !b->to) {
		f->entries_empty += c->times;
	} else if (PERFDATA_BRANCH_SPEC(b->flags) == PERFDATA_SPEC_WRONG_PATH) {
		/* it did not happen: the code ran on from the older entry to the newer */
		f->entries_wrong_path += c->times;
	} else if (!perfdata_branch_is_whole(b)) {
		*rc = add_part(c->s, c->space, b, &c->newer, c->times);
	} else if (i == 1 && c->newer && !c->softlbr && is_doubled(c->s, c->newer, b)) {
		f->entries_doubled += c->times;
	} else {
		return false;
	}
	return true;
}

/* The entries of a stack have one time together: as if each were taken a nanosecond after the one
 * before, which keeps them in order. */
static uint64_t entry_ns(const struct stack_count *c, size_t i)
{
	return c->oldest_ns ? c->oldest_ns + (c->sample->branch_count - 1 - i) : 0;
}

/* Entries that records before this one have of its trace. */
static size_t entries_before(const struct branch_stacks *s, size_t count)
{
	return s->last ? s->ends.items[s->last - 1].count - count : 0;
}

/* Note when the sampled address ran. */
static int note_first(struct address_space *space, uint64_t ip, uint64_t ns)
{
	struct map_entry *e = map_at(&space->firsts, ip, 0);

	if (!e)
		return -1;
	e->n = order_least_known(e->n, ns);
	return 0;
}

/* Count the sampled address of @record, which stands for @times. */
static int count_address(struct branch_stacks *s, struct address_space *space,
			 const struct perfdata_info *info, const struct perfdata_record *record,
			 uint64_t times)
{
	const struct perfdata_sample *sample = &record->sample;
	const struct perf_event_attr *attr = &info->events[sample->event].attr;
	struct map_entry *e;

	if (attr != s->attr) {
		s->attr = attr;
		s->event = sample_event_of(attr);
	}
	e = map_at(&space->samples, sample->ip, s->event);
	if (!e)
		return -1;
	e->n += times;
	e->m += times * sample->period;
	return s->first_runs && info->has_time ? note_first(space, sample->ip, record->time) : 0;
}

/* Count entry number @i: its branch, and the range from its target to the newer entry's source. */
static int stack_count_entry(struct stack_count *c, size_t i)
{
	const struct perfdata_branch *b = &c->sample->branches[i], *newer = c->newer;
	struct branch_stacks *s = c->s;
	uint64_t next = newer && !c->filtered ? newer->from : STEP_LAST;

	if (newer && c->filtered) {
		s->funnel->ranges += c->times;
		s->funnel->ranges_filtered += c->times;
	}
	c->newer = b;
	if (i == c->repeated) {
		s->funnel->entries_repeated += c->times;
		return next == STEP_LAST ? 0 : count_range(c->space, b->to, next, c->times);
	}
	if (s->traces && traces_add(s->traces, c->space, b->from, b->to))
		return -1;
	if (s->watcher) /* it was counted when it was read first */
		return 0;
	if (note_flags(c->space, b, c->times))
		return -1;
	if (s->details)
		c->told[c->count] = told_of(b, next == STEP_LAST ? NULL : newer);
	c->batch[c->count++] = (struct step){.from = b->from,
					     .to = b->to,
					     .next = next,
					     .n = c->times,
					     .first_ns = entry_ns(c, i)};
	return c->count < sizeof(c->batch) / sizeof(*c->batch) ? 0 : stack_count_flush(c);
}

/* Entries that nothing is told of but that they were taken: most of hardware's. */
static bool is_plain(const struct perfdata_branch *b)
{
	return !(b->flags & PERFDATA_BRANCH_MISPREDICTED) && perfdata_branch_is_whole(b) &&
	       PERFDATA_BRANCH_SPEC(b->flags) != PERFDATA_SPEC_WRONG_PATH;
}

/* Is counting a plain entry no more than handing over its step? */
static bool takes_plain(const struct stack_count *c)
{
	const struct branch_stacks *s = c->s;

	return !s->traces && !s->watcher && !s->details && !c->filtered &&
	       c->repeated == c->sample->branch_count;
}

/* Do what stack_count_entry does of plain entries, from number *i on, until one is another. */
static int stack_count_plain(struct stack_count *c, size_t *i)
{
	const struct perfdata_branch *b = c->sample->branches + *i;
	const struct perfdata_branch *end = c->sample->branches + c->sample->branch_count;
	const size_t most = sizeof(c->batch) / sizeof(*c->batch);
	uint64_t next = c->newer ? c->newer->from : STEP_LAST, ns = entry_ns(c, *i);
	const unsigned earlier = c->oldest_ns != 0;
	struct steps *small = c->space->steps.capacity < STEPS_SMALL ? &c->space->steps : NULL;

	for (; b < end && is_plain(b); b++, ns -= earlier) {
		const struct step step = {b->from, b->to, next, c->times, ns};

		next = b->from;
		if (small) {
			if (steps_add_one(small, &step))
				return -1;
			continue;
		}
		c->batch[c->count] = step;
		if (++c->count == most && stack_count_flush(c))
			return -1;
	}
	if (b > c->sample->branches + *i)
		c->newer = b - 1;
	*i = (size_t)(b - c->sample->branches);
	return 0;
}

/* Of many stacks, one in so many is looked at, and no more than so many of its entries. */
#define ALIKE_ALL     1024u
#define ALIKE_EVERY   16u
#define ALIKE_ENTRIES 64u

/* How much a stack says the same again: that is how little its entries tell, each. */
static void note_alike(struct funnel *f, const struct perfdata_sample *sample)
{
	size_t count = sample->branch_count < ALIKE_ENTRIES ? sample->branch_count : ALIKE_ENTRIES;

	if (f->samples > ALIKE_ALL && f->samples % ALIKE_EVERY)
		return;
	f->looked_at += count;
	f->alike += count; /* each is like itself, and two are like each other */
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			f->alike += 2 * same_branch(&sample->branches[i], &sample->branches[k]);
}

/* Count all entries of @c. @later_part: its trace began in a record before. */
static int add_stack(struct stack_count *c, bool later_part)
{
	struct branch_stacks *s = c->s;
	size_t first = s->traces ? s->traces->entries.count : 0;
	const bool plain = takes_plain(c);
	int rc;

	if (!s->traces)
		note_alike(s->funnel, c->sample);
	if (s->predictions)
		count_predictions(s->funnel, c->sample, c->repeated);
	if (s->details && !c->filtered && note_iterations(c->space, c->sample, c->times))
		return -1;
	for (size_t i = 0; i < c->sample->branch_count; i++) {
		/* of the first two, one may be there twice */
		if (plain && i >= 2 && stack_count_plain(c, &i))
			return -1;
		if (i == c->sample->branch_count)
			break;
		if (!stack_count_is_part(c, i, &rc))
			rc = stack_count_entry(c, i);
		if (rc)
			return -1;
	}
	if (s->traces &&
	    end_trace(s, first, later_part, c->softlbr ? c->sample->weight : 0, c->times))
		return -1;
	return stack_count_flush(c);
}

int branch_stacks_add(struct branch_stacks *s, struct address_space *space,
		      const struct perfdata_info *info, const struct perfdata_record *record)
{
	const struct perfdata_sample *sample = &record->sample;
	const struct perf_event_attr *attr = &info->events[sample->event].attr;
	const uint64_t times = 1 + sample->repeats;
	struct stack_count c;
	size_t repeated = sample->branch_count;
	bool later = false;

	if (info->softlbr && sample->branch_count && find_repeated(s, record, &repeated, &later))
		return -1;
	s->funnel->samples += repeated == sample->branch_count ? times : 0;
	if (is_guest(record)) {
		s->funnel->entries += times * sample->branch_count;
		s->funnel->entries_guest += times * sample->branch_count;
		return 0;
	}
	if (attr->sample_type & PERF_SAMPLE_IP && repeated == sample->branch_count &&
	    count_address(s, space, info, record, times))
		return -1;
	if (!sample->branch_count || branch_stacks_are_calls(attr)) {
		s->funnel->samples_without_stack += times;
		s->funnel->samples_of_call_stacks += branch_stacks_are_calls(attr) ? times : 0;
		return s->watcher && branch_stacks_are_calls(attr)
			       ? watch_call_stack(s, space, record)
			       : 0;
	}
	s->funnel->entries += times * sample->branch_count;
	s->copy = s->watcher ? stack_samples_find(&s->copies, sample->tid, record->time) : NULL;
	/* the batch is not cleared: this is done for each record */
	c.s = s;
	c.space = space;
	c.sample = sample;
	c.oldest_ns = s->first_runs && info->has_time
			      ? record->time + entries_before(s, sample->branch_count)
			      : 0;
	c.times = times;
	c.repeated = repeated;
	c.softlbr = info->softlbr;
	c.filtered = branch_stacks_are_filtered(attr);
	c.newer = NULL;
	c.count = 0;
	return add_stack(&c, later);
}
