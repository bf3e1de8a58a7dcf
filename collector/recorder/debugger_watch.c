/* SPDX-License-Identifier: MIT */
#include "collector/recorder/debugger_watch.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "collector/kernel/task_status.h"

#define LOOKS 10u

static void note(struct journal *j, uint32_t pid)
{
	char link[32], program[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%u/exe", pid);
	length = readlink(link, program, sizeof(program) - 1);
	if (length <= 0)
		return;
	program[length] = 0;
	refusal_list_add_program(&j->refusals, REFUSAL_TRACED, program);
}

/* One that writes nothing sends no signals either. */
static bool is_silent(const struct member *m)
{
	return m->quiet > LOOKS;
}

void debugger_watch_look(struct debugger_watch *w, struct journal *j)
{
	struct task_status status;
	struct member *m;

	if (++w->looks % LOOKS)
		return;
	vector_each (&j->processes, m) {
		if (m->traced || is_silent(m))
			continue;
		task_status_of(m->pid, &status);
		if (!status.tracer)
			continue;
		m->traced = true;
		note(j, m->pid);
	}
}
