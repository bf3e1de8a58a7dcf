/* SPDX-License-Identifier: MIT */
/*
 * Parts of a tracer's recording that is not kept (recorder/recording_file.h), taken by the process
 * that started it: counting a part takes a second, in which traced threads would stand still.
 */
#pragma once

#include "collector/recorder/recording_file.h"

/* The tracer's side. */
struct recording_socket {
	int file; /* to the recorder's end; or -1 */
	uint64_t bytes_most;
	unsigned given; /* and not taken yet */
	bool alone;	/* the recorder's end is closed */
};

/* A connected pair: the tracer's end, and the recorder's. */
int recording_socket_open(int ends[2], struct softlbr_error *e);
/* Is it time for a new part? Not as long as one is being taken: this one grows. */
bool recording_socket_due(const struct recording_socket *p, uint64_t bytes);
/* OUTPUT.number is a part. Never waits. */
void recording_socket_give(struct recording_socket *p, unsigned number, bool rotate);
/* Something has come from the recorder's end, or it is closed. A negative code if it can't take
 * more. */
int recording_socket_hear(struct recording_socket *p);

/* The recorder's side: take parts of @output until the tracer is gone. The first error; what comes
 * behind it stays where it is. */
int recording_socket_take(int file, const struct rotation_options *o, const char *output,
			  struct softlbr_error *e);
