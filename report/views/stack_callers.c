/* SPDX-License-Identifier: MIT */
#include "report/views/stack_callers.h"

#include "base/memory.h"
#include "converter/samples/address_space.h"

int stack_callers_init(struct stack_callers *c, const struct view *v, const struct modules *modules)
{
	c->view = v;
	c->modules = modules;
	while (c->files.count < modules->items.count)
		if (!vector_push(&c->files))
			return -1;
	return 0;
}

void stack_callers_deinit(struct stack_callers *c)
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

size_t stack_callers_find(struct stack_callers *c, const struct stack_sample *stack)
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
