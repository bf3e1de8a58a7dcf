/* SPDX-License-Identifier: MIT */
#include "converter/samples/address_space.h"

#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/order.h"
#include "converter/binary/binary.h"

#define KERNEL_PID UINT32_MAX

#ifndef PERF_RECORD_MISC_FORK_EXEC
#define PERF_RECORD_MISC_FORK_EXEC (1 << 13)
#endif

/* ---- one space ----------------------------------------------------------------------------- */

const struct address_map *address_space_find(const struct address_space *s, uint64_t address)
{
	const struct address_map *map = address_maps_behind(&s->maps, address);

	return map && map->start <= address ? map : NULL;
}

uint64_t address_map_to_va(const struct address_map *map, const struct modules *modules,
			   const struct binary *b, uint64_t address)
{
	if (map->at_va)
		return address - map->start + map->file_offset;
	return linux_kernel_map_to_va(b, modules_path(modules, map->module), map->start,
				      map->file_offset, address);
}

/* Do both say the same about the addresses that they share? */
static bool agree(const struct address_map *a, const struct address_map *b)
{
	return a->module == b->module && a->start - a->file_offset == b->start - b->file_offset;
}

static bool are_same(const struct address_map *a, const struct address_map *b)
{
	return agree(a, b) && a->copied_to == b->copied_to;
}

static bool conflicts(const struct address_space *s, const struct address_map *map)
{
	const struct address_map *old = address_maps_behind(&s->maps, map->start);

	for (; old && old->start < map->end; old = address_maps_behind(&s->maps, old->end))
		if (!are_same(old, map))
			return true;
	return false;
}

struct branch_details *address_space_details(struct address_space *s)
{
	if (!s->details)
		s->details = memory_alloc(sizeof(*s->details));
	return s->details;
}

/* ---- processes ----------------------------------------------------------------------------- */

static struct address_space *new_space(struct address_history *h, const struct address_space *model)
{
	struct address_space *s = memory_alloc(sizeof(*s)), **slot;

	if (!s)
		return NULL;
	slot = vector_push(&h->spaces);
	if (!slot) {
		memory_free(s);
		return NULL;
	}
	*slot = s;
	s->exec_ns = model ? model->exec_ns : 0;
	if (model)
		s->maps = address_maps_share(&model->maps);
	return s;
}

static struct address_process *process_of(struct address_history *h, uint32_t pid)
{
	struct map_entry *e = map_at(&h->process_of_pid, pid, 0);

	if (!e)
		return NULL;
	if (!e->m) {
		if (!vector_push(&h->processes))
			return NULL;
		e->n = h->processes.count - 1;
		e->m = 1;
	}
	return &h->processes.items[e->n];
}

static struct address_space *current(const struct address_process *p)
{
	return p->epochs.count ? p->epochs.items[p->epochs.count - 1].space : NULL;
}

static int enter(struct address_process *p, struct address_space *s,
		 const struct address_change *change)
{
	struct address_epoch *epoch;

	if (!s)
		return -1;
	epoch = vector_push(&p->epochs);
	if (!epoch)
		return -1;
	if (p->epochs.count > 1)
		epoch[-1].space->owners--;
	*epoch = (struct address_epoch){change->time, change->offset, s};
	s->owners++;
	return 0;
}

/* ---- code that was copied ------------------------------------------------------------------ */

/*
 * Programs copy their code to anonymous memory at its own address, for huge pages (node
 * --use-largepages, PHP's opcache.huge_code_pages, llvm-bolt -hugify). It is the file's all the
 * same. Nothing else maps anonymous memory within a file's code, unless that was unmapped before,
 * of which recordings tell nothing: a just-in-time compiler got its addresses. But the file does:
 * branches that its code can't have taken are not its.
 */

static bool is_anonymous(const struct address_history *h, const struct address_map *map)
{
	const char *path = modules_path(h->modules, map->module);

	if (!strcmp(path, "//anon"))
		return map->file_offset == map->start || !map->file_offset;
	return !strncmp(path, "/anon_hugepage", strlen("/anon_hugepage"));
}

static bool is_file(const struct address_history *h, const struct address_map *map)
{
	const char *path = modules_path(h->modules, map->module);

	return *path == '/' && path[1] != '/' && !is_anonymous(h, map);
}

/* Let @to be code of @of. */
static void copy_code(struct address_history *h, struct address_map *to,
		      const struct address_map *of)
{
	h->modules->items.items[of->module].may_be_copied = true;
	to->copied_to = to->module + 1;
	to->module = of->module;
	to->file_offset = to->start - of->start + of->file_offset;
}

/* Is the map, which is new, within the code of a file, some of which may be copied already? Then it
 * is that code. */
static void find_copied(struct address_history *h, const struct address_space *s,
			struct address_map *map)
{
	const struct address_map *first = address_maps_behind(&s->maps, map->start), *old = first;
	uint64_t at = map->start;

	if (!is_anonymous(h, map))
		return;
	for (; old && at < map->end; old = address_maps_behind(&s->maps, at)) {
		if (old->start > at || !is_file(h, old) || !agree(old, first))
			return;
		at = old->end;
	}
	if (at >= map->end)
		copy_code(h, map, first);
}

/* Maps that were there before the recording come one after the other: the copy is between two
 * parts of the code. @last is the second one. */
static int join_parts(struct address_history *h, struct address_space *s,
		      const struct address_map *last)
{
	const struct address_map *copy = address_maps_before(&s->maps, last->start), *first;
	struct address_map changed;

	if (!copy || !is_file(h, last) || copy->end != last->start)
		return 0;
	first = address_maps_before(&s->maps, copy->start);
	if (!first || first->end != copy->start || !agree(first, last) || !is_anonymous(h, copy))
		return 0;
	changed = *copy;
	copy_code(h, &changed, last);
	return address_maps_put(&s->maps, &changed);
}

/* ---- maps ---------------------------------------------------------------------------------- */

static int apply_map(struct address_history *h, const struct address_change *change)
{
	struct address_map map = change->map;
	struct address_process *p;
	struct address_space *s;

	if (change->pid == KERNEL_PID)
		return address_maps_put(&h->spaces.items[0]->maps, &change->map);
	p = process_of(h, change->pid);
	if (!p)
		return -1;
	s = current(p);
	if (s)
		find_copied(h, s, &map);
	if (!s || s->owners > 1 || conflicts(s, &map)) {
		s = new_space(h, s);
		if (enter(p, s, change))
			return -1;
	}
	return address_maps_put(&s->maps, &map) ? -1 : join_parts(h, s, &map);
}

static int apply_fork(struct address_history *h, const struct address_change *change)
{
	struct address_process *parent, *child;
	struct address_space *s = NULL;

	if (change->copies_maps) {
		parent = process_of(h, change->parent_pid);
		if (!parent)
			return -1;
		s = current(parent);
	}
	if (!s)
		s = new_space(h, NULL);
	child = process_of(h, change->pid);
	return child ? enter(child, s, change) : -1;
}

static int apply_exec(struct address_history *h, const struct address_change *change)
{
	struct address_process *p = process_of(h, change->pid);
	struct address_space *s = new_space(h, NULL);

	if (s)
		s->exec_ns = change->time;
	return p ? enter(p, s, change) : -1;
}

/* ---- the history --------------------------------------------------------------------------- */

int address_history_init(struct address_history *h, struct modules *modules)
{
	*h = (struct address_history){.modules = modules};
	return new_space(h, NULL) ? 0 : -1;
}

void address_history_deinit(struct address_history *h)
{
	struct address_space **s;
	struct address_process *p;

	vector_each (&h->spaces, s) {
		address_maps_deinit(&(*s)->maps);
		steps_deinit(&(*s)->steps);
		map_deinit(&(*s)->branches);
		map_deinit(&(*s)->ranges);
		map_deinit(&(*s)->samples);
		map_deinit(&(*s)->firsts);
		if ((*s)->details)
			branch_details_deinit((*s)->details);
		memory_free((*s)->details);
		map_deinit(&(*s)->numbers);
		memory_free(*s);
	}
	vector_each (&h->processes, p)
		vector_deinit(&p->epochs);
	vector_deinit(&h->spaces);
	vector_deinit(&h->processes);
	vector_deinit(&h->changes);
	map_deinit(&h->process_of_pid);
	traces_deinit(&h->traces);
	value_samples_deinit(&h->values);
	sample_times_deinit(&h->times);
}

static struct address_change *space_note(struct address_history *h,
					 const struct perfdata_record *record)
{
	struct address_change *c = vector_push(&h->changes);

	if (c) {
		c->time = record->time;
		c->offset = record->offset;
		c->type = record->type;
	}
	return c;
}

static int note_map(struct address_history *h, const struct perfdata_record *record)
{
	const struct perfdata_mmap *m = &record->mmap;
	struct address_change *c;
	int64_t module;

	if (!(m->protection & PROT_EXEC) || !m->length || m->length > UINT64_MAX - m->start)
		return 0;
	module = modules_add(h->modules, m->path, &m->build_id);
	c = module < 0 ? NULL : space_note(h, record);
	if (!c)
		return -1;
	c->type = PERF_RECORD_MMAP;
	c->pid = m->pid;
	c->map = (struct address_map){.start = m->start,
				      .end = m->start + m->length,
				      .file_offset = m->page_offset,
				      .module = (uint32_t)module,
				      .at_va = m->at_va};
	return 0;
}

int address_history_add(struct address_history *h, const struct perfdata_record *record)
{
	const struct perfdata_task *t = &record->task;
	struct address_change *c;

	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return note_map(h, record);
	case PERF_RECORD_COMM:
		if (!t->exec)
			return 0;
		break;
	case PERF_RECORD_FORK:
		if (t->pid == t->parent_pid) /* a thread */
			return 0;
		break;
	default:
		return 0;
	}
	c = space_note(h, record);
	if (!c)
		return -1;
	c->pid = t->pid;
	c->parent_pid = t->parent_pid;
	/* perf marks the FORKs that it makes up for processes which exist already: their own maps
	 * follow, and the parent's are other ones */
	c->copies_maps = !(record->misc & PERF_RECORD_MISC_FORK_EXEC);
	return 0;
}

ORDER_BY(by_time, struct address_change, ORDER_UP(time) ?: ORDER_UP(offset));

/* As most recordings have them. */
static bool changes_are_sorted(const struct address_history *h)
{
	for (size_t i = 1; i < h->changes.count; i++)
		if (by_time(&h->changes.items[i - 1], &h->changes.items[i]) > 0)
			return false;
	return true;
}

int address_history_build(struct address_history *h)
{
	const struct address_change *c;
	int rc = 0;

	if (!changes_are_sorted(h))
		vector_sort(&h->changes, by_time);
	vector_each (&h->changes, c) {
		if (c->type == PERF_RECORD_MMAP)
			rc = apply_map(h, c);
		else if (c->type == PERF_RECORD_FORK)
			rc = apply_fork(h, c);
		else
			rc = apply_exec(h, c);
		if (rc)
			return rc;
	}
	vector_deinit(&h->changes);
	return 0;
}

static bool begins_after(const struct address_epoch *e, uint64_t time, uint64_t offset)
{
	return e->time > time || (e->time == time && e->offset > offset);
}

/* The last epoch that began by then; the first one for what is earlier. */
static size_t epoch_at(const struct address_process *p, uint64_t time, uint64_t offset)
{
	const struct address_epoch *e;
	size_t begun = vector_count_while(&p->epochs, e, !begins_after(e, time, offset));

	return begun ? begun - 1 : 0;
}

struct address_space *address_history_at(struct address_history *h, uint32_t pid, uint64_t time,
					 uint64_t offset)
{
	struct address_process *p = process_of(h, pid);

	if (!p)
		return NULL;
	if (!p->epochs.count) { /* nothing is known of this process */
		static const struct address_change start;

		if (enter(p, new_space(h, NULL), &start))
			return NULL;
	}
	if (begins_after(&p->epochs.items[p->last], time, offset) ||
	    (p->last + 1 < p->epochs.count &&
	     !begins_after(&p->epochs.items[p->last + 1], time, offset)))
		p->last = epoch_at(p, time, offset);
	return p->epochs.items[p->last].space;
}

struct address_space *address_history_kernel(struct address_history *h)
{
	return h->spaces.items[0];
}

/* ---- is it the file's code? --------------------------------------------------------------- */

enum { COPY_UNUSED, COPY_FITS, COPY_IS_OTHER_CODE };

/* Could the code at the branch's place in the file have taken it? Direct branches are as far from
 * their targets there. */
static bool fits_code(struct binary *b, uint64_t va, const struct step *step)
{
	struct isa_insn insn;

	return va != BRANCH_OUTSIDE && binary_decode(b, va, &insn) && isa_is_branch(insn.kind) &&
	       (!insn.target || insn.target - va == step->to - step->from);
}

/* Less than half of the branches is no accident of a few. Sampled addresses alone tell nothing. */
static int judge_copy(const struct address_space *s, const struct address_map *map,
		      const struct modules *modules, struct binary *b)
{
	const struct map_entry *sample;
	const struct step *step = NULL;
	uint64_t all = 0, fitting = 0;

	while ((step = steps_next(&s->steps, step))) {
		if (step->from < map->start || step->from >= map->end)
			continue;
		all += step->n;
		if (fits_code(b, address_map_to_va(map, modules, b, step->from), step))
			fitting += step->n;
	}
	if (all)
		return fitting >= all - fitting ? COPY_FITS : COPY_IS_OTHER_CODE;
	map_each (&s->samples, sample)
		if (sample->a >= map->start && sample->a < map->end)
			return COPY_FITS;
	return COPY_UNUSED;
}

/* Judge the space's copies of the module; 0, or -1 without memory. */
static int judge_space(struct address_space *s, struct modules *modules, size_t number,
		       struct binary *b)
{
	struct module *its = &modules->items.items[number];
	const struct address_map *map = address_maps_behind(&s->maps, 0);

	for (; map; map = address_maps_behind(&s->maps, map->end)) {
		int is = map->module == number && map->copied_to ? judge_copy(s, map, modules, b)
								 : COPY_UNUSED;
		struct address_map anonymous = *map;

		its->is_copied |= is == COPY_FITS;
		its->is_reused |= is == COPY_IS_OTHER_CODE;
		if (is != COPY_IS_OTHER_CODE)
			continue;
		anonymous.module = map->copied_to - 1;
		anonymous.file_offset = map->start;
		anonymous.copied_to = 0;
		if (address_maps_put(&s->maps, &anonymous))
			return -1;
		map = address_maps_behind(&s->maps, anonymous.start);
	}
	return 0;
}

int address_history_judge_copies(struct address_history *h, struct modules *modules, size_t number,
				 struct binary *b)
{
	struct module *its = &modules->items.items[number];
	struct address_space **s;

	if (!its->may_be_copied && !its->is_copied && !its->is_reused)
		return 0;
	vector_each (&h->spaces, s)
		if (((*s)->steps.count || (*s)->samples.count) &&
		    judge_space(*s, modules, number, b))
			return -1;
	its->may_be_copied = false;
	return 0;
}
