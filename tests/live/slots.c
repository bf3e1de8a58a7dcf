/* SPDX-License-Identifier: MIT */
/*
 * A debugger that has all hardware breakpoints, at places that nothing comes to. `slots TID` takes
 * what is left of a thread's, says how many, and holds them until it is ended; `slots run
 * COMMAND...` becomes the command, with all four of it and its children taken.
 */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int take(pid_t tid, unsigned number, int inherited)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = 0x10000 + number * 8u,
		.bp_len = sizeof(long),
		.sample_period = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = inherited,
	};

	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, 0);
}

int main(int argc, char **argv)
{
	int run = argc > 2 && !strcmp(argv[1], "run");
	unsigned taken = 0;

	while (taken < 8 && take(run || argc < 2 ? 0 : atoi(argv[1]), taken, run) >= 0)
		taken++;
	if (run) {
		execvp(argv[2], argv + 2);
		return 127;
	}
	printf("took %u\n", taken);
	fflush(stdout);
	pause();
	return 0;
}
