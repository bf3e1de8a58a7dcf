/* SPDX-License-Identifier: MIT */
/*
 * model SEED FIRST LAST LOG [LEFT-OUT [IGNORED]]: the steps FIRST to LAST but for LEFT-OUT
 * ("3,7-9",
 * "-" for none). IGNORED: the signals that are ignored, after an exec of itself.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../busy.h"
#include "model.h"

struct model model;
unsigned model_step;

uint64_t __attribute__((noinline)) model_work(uint64_t seed, unsigned rounds)
{
	return seed + work_here(seed, rounds);
}

bool model_is_without(const char *name)
{
	const char *words = getenv("MODEL_WITHOUT"), *at = words ? strstr(words, name) : NULL;
	size_t length = strlen(name);

	for (; at; at = strstr(at + 1, name))
		if ((at == words || at[-1] == ',') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

int model_wait(pid_t child, int *status)
{
	pid_t got;

	do
		got = waitpid(child, status, 0);
	while (got < 0 && errno == EINTR);
	return got == child ? 0 : -1;
}

static bool is_left_out(unsigned step)
{
	const char *at = model.left_out;
	char *end;

	while (at && *at >= '0' && *at <= '9') {
		unsigned long low = strtoul(at, &end, 10), high = low;

		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (step >= low && step <= high)
			return true;
		at = *end == ',' ? end + 1 : end;
	}
	return false;
}

void model_child(struct dice *d)
{
	unsigned count = 1 + dice_below(d, 6);

	for (unsigned i = 0; i < count; i++) {
		struct dice own = dice_of(dice_below(d, 1u << 30), i);

		steps_any(&own);
	}
	state_say(NULL);
	_exit((int)(count + dice_below(d, 40)));
}

/* --look "DEPTH STEP" LOG */
static int look(char **argv)
{
	char *end;

	journey_depth = (unsigned)strtoul(argv[2], &end, 10);
	journey_open(argv[3]);
	journey_step((unsigned)strtoul(end, NULL, 10), "look");
	model_work(1, 5000);
	state_say(NULL);
	return 9;
}

static void begin(void)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
}

int main(int argc, char **argv)
{
	bool again = argc > 6;

	if (argc > 3 && !strcmp(argv[1], "--look")) {
		lanes_init();
		return look(argv);
	}
	if (argc < 5) {
		fprintf(stderr, "usage: model SEED FIRST LAST LOG [LEFT-OUT [IGNORED]]\n");
		return 2;
	}
	model = (struct model){.program = argv[0],
			       .seed = strtoul(argv[1], NULL, 10),
			       .first = (unsigned)strtoul(argv[2], NULL, 10),
			       .last = (unsigned)strtoul(argv[3], NULL, 10),
			       .left_out = argc > 5 ? argv[5] : NULL};
	lanes_init();
	if (!again)
		begin();
	journey_open(argv[4]);
	journey_step(model.first, again ? "again" : "begin");
	dispositions_init(again ? strtoul(argv[6], NULL, 16) : 0);
	state_say(NULL);
	if (again)
		state_drain();
	for (unsigned step = model.first; step <= model.last; step++) {
		struct dice d = dice_of(model.seed, step);

		model_step = step;
		if (!is_left_out(step))
			steps_any(&d);
	}
	journey_step(model.last, "end");
	lanes_wait_for_none();
	state_say(NULL);
	return 0;
}
