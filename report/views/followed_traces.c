/* SPDX-License-Identifier: MIT */
#include "report/views/followed_traces.h"

#include "base/memory.h"
#include "converter/binary/binary.h"
#include "converter/dwarf/unwinder.h"
#include "converter/elf/debug_search.h"
#include "converter/samples/address_space.h"
#include "converter/samples/modules.h"
#include "converter/samples/branch_stacks.h"

/* The callers of a copied stack, by the files of its process that can be found here. */

/* Deeper stacks are not followed to their end. */
#define STACK_CALLERS_MOST 4096u

/* A module's file, once it was looked for. */
struct stack_callers_file {
	bool sought;
	struct module_file found;
};

struct stack_callers {
	const struct view *view;
	const struct modules *modules;
	/* Processes come one after the other mostly: the unwinder of the last one's space. */
	const struct address_space *space;
	struct unwinder *unwinder;
	VECTOR(struct stack_callers_file) files; /* by module */
	uint64_t calls[STACK_CALLERS_MOST];	 /* of the stack at hand */
	bool whole;				 /* they are all of them */
};

/* @modules are those of the spaces that stacks are in. 0, or -1 without memory. */
static int stack_callers_init(struct stack_callers *c, const struct view *v,
			      const struct modules *modules)
{
	c->view = v;
	c->modules = modules;
	while (c->files.count < modules->items.count)
		if (!vector_push(&c->files))
			return -1;
	return 0;
}

static void stack_callers_deinit(struct stack_callers *c)
{
	struct stack_callers_file *file;

	unwinder_free(c->unwinder);
	vector_each (&c->files, file)
		if (file->sought)
			module_file_deinit(&file->found);
	vector_deinit(&c->files);
}

/* The file of a module: the one that is reported, or what is found. NULL without. */
static const char *path_of(struct stack_callers *c, size_t module)
{
	const struct module_search search = {c->view->options->search, c->view->options->path};
	const struct view *v = c->view;
	size_t part = module < v->part_of_module.count ? v->part_of_module.items[module]
						       : VIEW_NO_PART;
	struct stack_callers_file *file = &c->files.items[module];

	if (part != VIEW_NO_PART && v->parts.items[part].binary)
		return binary_path(v->parts.items[part].binary);
	if (!file->sought)
		module_search_find(&search, modules_path(c->modules, module),
				   &c->modules->items.items[module].build_id, &file->found);
	file->sought = true;
	return file->found.path;
}

static bool mapping_at(void *context, uint64_t address, struct unwinder_mapping *out)
{
	struct stack_callers *c = context;
	const struct address_map *map = address_space_find(c->space, address);

	if (!map || map->module >= c->files.count)
		return false;
	*out = (struct unwinder_mapping){path_of(c, map->module), map->start, map->file_offset};
	return out->path;
}

/* Fill calls as unwinder_calls does, and `whole`; returns how many. */
static size_t stack_callers_find(struct stack_callers *c, const struct stack_sample *stack)
{
	const struct unwinder_space space = {mapping_at, c};
	const struct unwinder_thread thread = {stack->register_mask, stack->registers,
					       stack->stack.items, stack->stack.count};

	c->whole = false;
	if (c->space != stack->space) {
		unwinder_free(c->unwinder);
		c->unwinder = unwinder_new(&space);
		c->space = stack->space;
	}
	return c->unwinder ? unwinder_calls(c->unwinder, &thread, c->calls, STACK_CALLERS_MOST,
					    &c->whole)
			   : 0;
}

/* A reading at work. */
struct reading {
	struct followed_traces *all;
	struct aggregate aggregate;
	struct address_history *history; /* of the trace at hand */
	struct stack_callers *callers;	 /* NULL: not wanted */
	VECTOR(struct followed_place) calls;
	followed_taker *take;
	followed_sampler *take_sample;
	void *context;
};

void followed_traces_deinit(struct followed_traces *all)
{
	vector_deinit(&all->places);
	vector_deinit(&all->branches);
	vector_deinit(&all->entries);
	vector_deinit(&all->numbers);
	map_deinit(&all->place_numbers);
	map_deinit(&all->branch_numbers);
}

static struct followed_place in_module(const struct reading *r, const struct address_map *map,
				       uint64_t address)
{
	struct view *v = r->all->view;
	size_t part = map->module < v->part_of_module.count ? v->part_of_module.items[map->module]
							    : VIEW_NO_PART;
	struct followed_place p = {part, address};
	const struct binary *b;

	if (part == VIEW_NO_PART)
		return p;
	b = v->parts.items[part].binary;
	p.va = b ? address_map_to_va(map, &r->aggregate.result.modules, b, address)
		 : address - map->start + map->file_offset;
	return p.va == BRANCH_OUTSIDE ? (struct followed_place){VIEW_NO_PART, address} : p;
}

/* A text without mappings has the addresses of the one binary that is reported. */
static struct followed_place in_no_module(const struct reading *r, uint64_t address)
{
	const struct view *v = r->all->view;
	bool own = r->aggregate.result.scripts_without_maps && v->parts.count == 1 &&
		   v->parts.items[0].binary && binary_is_code(v->parts.items[0].binary, address);

	return (struct followed_place){own ? 0 : VIEW_NO_PART, address};
}

static struct followed_place place_of(const struct reading *r, const struct address_space *space,
				      uint64_t address)
{
	const struct address_map *map = address_space_find(space, address);

	if (!map)
		map = address_space_find(address_history_kernel(r->history), address);
	return map ? in_module(r, map, address) : in_no_module(r, address);
}

static int number_place(struct followed_traces *all, struct followed_place p, uint32_t *number)
{
	const struct followed_place *known = map_item(&all->place_numbers, p.va, p.part + 1,
						      &all->places, p);

	if (!known)
		return -1;
	*number = (uint32_t)(known - all->places.items);
	return 0;
}

static uint8_t kind_at(struct view *v, const struct followed_place *p)
{
	struct isa_insn insn;

	return p->part != VIEW_NO_PART && v->parts.items[p->part].binary &&
			       binary_decode(v->parts.items[p->part].binary, p->va, &insn)
		       ? insn.kind
		       : ISA_UNKNOWN;
}

/* The number, + 1, of a branch between places; 0 without memory. */
static uint32_t number_branch(struct reading *r, const struct trace_branch *recorded)
{
	struct followed_traces *all = r->all;
	const struct followed_branch *known;
	struct followed_branch b;

	if (number_place(all, place_of(r, recorded->space, recorded->from), &b.from) ||
	    number_place(all, place_of(r, recorded->space, recorded->to), &b.to))
		return 0;
	known = map_item(&all->branch_numbers, b.from, b.to, &all->branches,
			 (struct followed_branch){b.from, b.to,
						  kind_at(all->view, &all->places.items[b.from])});
	return known ? (uint32_t)(known - all->branches.items) + 1 : 0;
}

static int translate(struct reading *r, const struct traces *recorded, const struct trace *t)
{
	struct followed_traces *all = r->all;

	while (all->numbers.count < recorded->branches.count)
		if (!vector_push(&all->numbers))
			return -1;
	all->entries.count = 0;
	if (vector_reserve(&all->entries, t->count))
		return -1;
	for (size_t i = 0; i < t->count; i++) {
		uint32_t *number = &all->numbers.items[t->entries[i]];

		if (!*number)
			*number = number_branch(r, &recorded->branches.items[t->entries[i]]);
		if (!*number)
			return -1;
		all->entries.items[all->entries.count++] = *number - 1;
	}
	return 0;
}

/* The calls of its copied stack. */
static int find_callers(struct reading *r, const struct trace *t, struct followed_trace *out)
{
	size_t count;

	if (!r->callers || !t->stack)
		return 0;
	if (stack_callers_init(r->callers, r->all->view, &r->aggregate.result.modules))
		return -1;
	count = stack_callers_find(r->callers, t->stack);
	r->calls.count = 0;
	if (vector_reserve(&r->calls, count))
		return -1;
	for (size_t i = 0; i < count; i++)
		r->calls.items[r->calls.count++] = place_of(r, t->stack->space,
							    r->callers->calls[i]);
	out->has_copy = true;
	out->callers = r->calls.items;
	out->caller_count = count;
	out->callers_whole = r->callers->whole;
	out->callers_left = t->stack->left;
	return 0;
}

static int take_trace(void *context, struct address_history *h, const struct trace *t)
{
	struct reading *r = context;
	struct followed_trace followed;

	if (t->is_call_stack && !r->all->call_stacks)
		return 0;
	r->history = h;
	if (translate(r, &h->traces, t))
		return -1;
	followed = (struct followed_trace){.branches = r->all->entries.items,
					   .count = t->count,
					   .times = t->times,
					   .weight = t->weight,
					   .is_call_stack = t->is_call_stack};
	if (find_callers(r, t, &followed))
		return -1;
	return r->take(r->context, r->all, &followed);
}

/* What is wrong with the file was said when it was read first. */
static int read_again(struct reading *r, struct view *v, const struct aggregate_watcher *watcher)
{
	const struct aggregate_options how = {
		.kind = v->kind, .keep = true, .watcher = watcher, .frequencies = FREQUENCIES_RAW};
	struct softlbr_error e = {0};

	if (aggregate_init(&r->aggregate, v->binary, &how, &e))
		return -1;
	aggregate_add_view(&r->aggregate, v->file, v->options->path, 1, &e);
	aggregate_deinit(&r->aggregate);
	return e.code == SOFTLBR_E_SYSTEM ? -1 : 0;
}

int followed_traces_each(struct followed_traces *all, struct view *v, followed_taker *take,
			 void *context)
{
	struct reading r = {.all = all, .take = take, .context = context};
	const struct aggregate_watcher watcher = {.take = take_trace, .context = &r};
	int rc;

	all->view = v;
	if (profile_kind_is_counts(v->kind))
		return 0;
	if (all->callers && !(r.callers = memory_alloc_array(1, sizeof(*r.callers))))
		return -1;
	rc = read_again(&r, v, &watcher);
	if (r.callers)
		stack_callers_deinit(r.callers);
	memory_free(r.callers);
	vector_deinit(&r.calls);
	return rc;
}

static int take_moment(void *context, struct address_history *h, const struct aggregate_moment *m)
{
	const struct perfdata_sample *s = &m->record->sample;
	struct reading *r = context;
	struct followed_sample sample = {.event = m->event,
					 .pid = s->pid,
					 .tid = s->tid,
					 .time_ns = m->record->time,
					 .period = s->period,
					 .times = m->times};

	r->history = h;
	sample.at = place_of(r, m->space, s->ip);
	return r->take_sample(r->context, &sample);
}

int followed_samples_each(struct view *v, followed_sampler *take, void *context)
{
	struct followed_traces all = {.view = v};
	struct reading r = {.all = &all, .take_sample = take, .context = context};
	const struct aggregate_watcher watcher = {.take_moment = take_moment, .context = &r};

	return profile_kind_is_counts(v->kind) ? 0 : read_again(&r, v, &watcher);
}

const struct followed_place *followed_traces_from(const struct followed_traces *all,
						  uint32_t branch)
{
	return &all->places.items[all->branches.items[branch].from];
}

const struct followed_place *followed_traces_to(const struct followed_traces *all, uint32_t branch)
{
	return &all->places.items[all->branches.items[branch].to];
}

bool followed_traces_range(const struct followed_traces *all, uint32_t branch, uint32_t next,
			   struct followed_range *out)
{
	const struct followed_place *begin = followed_traces_to(all, branch),
				    *end = followed_traces_from(all, next);

	*out = (struct followed_range){begin->part, begin->va, end->va};
	return begin->part != VIEW_NO_PART && begin->part == end->part && begin->va <= end->va &&
	       end->va - begin->va <= RANGE_BYTES_MAX;
}
