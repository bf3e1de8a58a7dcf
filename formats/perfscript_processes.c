/* SPDX-License-Identifier: MIT */
/*
 * Whose sample is it? The processes that a text of perf script tells of by its lines of mappings
 * and tasks. It may name processes whose mappings it does not have (workers that were forked, in a
 * text without FORK lines), or none at all: samples that no process can be found for belong to
 * PERFSCRIPT_ANY_PROCESS, which has the mappings of all, a younger one over an older.
 */
#include "formats/perfscript_line.h"

#include <string.h>
#include <sys/mman.h>
#include "base/hash.h"
#include "base/order.h"

void perfscript_processes_deinit(struct perfscript_processes *p)
{
	map_deinit(&p->numbers);
	vector_deinit(&p->code);
}

static bool has_mappings(const struct perfscript_processes *p, uint32_t pid)
{
	const struct map_entry *e = map_find(&p->numbers, pid, 0);

	return e && e->n == pid && e->m;
}

/* A thread's number tells its process, unless it is a process's own. */
static int note_thread(struct perfscript_processes *p, uint32_t tid, uint32_t pid)
{
	struct map_entry *e = map_at(&p->numbers, tid, 0);

	if (!e)
		return -1;
	if (tid == pid || !e->m)
		e->n = pid;
	return 0;
}

static int note_process(struct perfscript_processes *p, uint32_t pid)
{
	struct map_entry *e = map_at(&p->numbers, pid, 0);

	if (!e)
		return -1;
	e->n = pid;
	e->m = 1;
	return 0;
}

static int note_mapping(struct perfscript_processes *p, const struct perfdata_mmap *m)
{
	if (note_process(p, m->pid) || note_thread(p, m->tid, m->pid))
		return -1;
	if (!(m->protection & PROT_EXEC) || m->length > UINT64_MAX - m->start)
		return 0;
	return vector_add(&p->code,
			  (struct perfscript_code){
				  .start = m->start,
				  .end = m->start + m->length,
				  .what = hash_on(HASH_OF_NOTHING, m->path, strlen(m->path)) ^
					  (m->start - m->page_offset),
				  .pid = m->pid});
}

static int note_task(struct perfscript_processes *p, uint32_t type, const struct perfdata_task *t)
{
	if (type == PERF_RECORD_FORK && t->pid != t->parent_pid) {
		p->have_tasks = true;
		if (has_mappings(p, t->parent_pid))
			return note_process(p, t->pid);
	}
	return note_thread(p, t->tid, t->pid);
}

int perfscript_processes_note(struct perfscript_processes *p, const struct perfscript_line *l)
{
	return l->kind == PERFSCRIPT_MMAP ? note_mapping(p, &l->mmap)
					  : note_task(p, l->task_type, &l->task);
}

ORDER_BY(by_start, struct perfscript_code, ORDER_UP(start));

ORDER_BY(by_process, struct perfscript_code, ORDER_UP(pid) ?: ORDER_UP(start));

bool perfscript_processes_sort(struct perfscript_processes *p)
{
	const struct perfscript_code *code, *farthest = NULL;
	bool differ = false;

	vector_sort(&p->code, by_start);
	vector_each (&p->code, code) {
		differ |= farthest && code->start < farthest->end && code->pid != farthest->pid &&
			  code->what != farthest->what;
		if (!farthest || code->end > farthest->end)
			farthest = code;
	}
	vector_sort(&p->code, by_process);
	return differ;
}

/* Has the process a mapping of its own there? */
static bool has_code_at(const struct perfscript_processes *p, uint32_t pid, uint64_t address)
{
	const struct perfscript_code *code;
	size_t behind = vector_count_while(
		&p->code, code, code->pid != pid ? code->pid < pid : code->start <= address);

	if (!behind)
		return false;
	code = &p->code.items[behind - 1];
	return code->pid == pid && address < code->end;
}

/* Without lines of tasks what a process inherited is not known: then its code has to be its own. */
static bool is_whole(const struct perfscript_processes *p, uint32_t pid,
		     const struct perfscript_line *l)
{
	if (p->have_tasks)
		return true;
	for (size_t i = 0; i < l->branches; i++)
		if (has_code_at(p, pid, l->stack[i].from) || has_code_at(p, pid, l->stack[i].to))
			return true;
	return false;
}

uint32_t perfscript_processes_of(const struct perfscript_processes *p,
				 const struct perfscript_line *l)
{
	const struct map_entry *e = l->has_pid ? map_find(&p->numbers, l->pid, 0) : NULL;
	uint32_t pid = e ? (uint32_t)e->n : 0;

	return e && has_mappings(p, pid) && is_whole(p, pid, l) ? pid : PERFSCRIPT_ANY_PROCESS;
}
