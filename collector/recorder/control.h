/* SPDX-License-Identifier: MIT */
/*
 * When a recording is on: its time window, duty cycle, and what is asked for meanwhile by signals
 * or through a control socket. The socket takes one command per connection, a line: start, stop,
 * rotate or status; the answer is a line too.
 */
#pragma once

#include <poll.h>

#include "collector/shared/session.h"
#include "softlbr/error.h"

struct control_options {
	uint64_t delay_ns, duration_ns; /* 0 = none */
	uint64_t on_ns, off_ns;		/* a duty cycle; 0 = always on */
	const char *socket_path;	/* of one to make, or NULL */
	bool signals;			/* SIGUSR1 switches, SIGUSR2 rotates */
};

/* So many are heard at a time; the first goes when another comes. */
#define CONTROL_ASKERS 8
#define CONTROL_EARS   (1 + CONTROL_ASKERS)

struct control {
	struct control_options options;
	uint64_t begin_ns;
	bool off, rotate, over; /* asked for */
	int socket;		/* -1 = none */
	/* who have connected, and not said what they want; the first came first */
	struct control_asker {
		int fd;
		uint64_t since_ns;
	} askers[CONTROL_ASKERS];
	size_t asking;
};

/* Will it be switched on and off? */
static inline bool control_switches(const struct control_options *o)
{
	return o->delay_ns || o->duration_ns || o->on_ns || o->socket_path || o->signals;
}

/* Start the clock, and listen. control_close undoes it, and is fine after a failure. */
int control_open(struct control *s, const struct control_options *o, struct softlbr_error *e);
void control_close(struct control *s);
/* What the recording should be now. */
enum session_state control_state(const struct control *s);
/* For how long it stays so by itself; UINT64_MAX: for ever. */
uint64_t control_steady_ns(const struct control *s);
/* What becomes readable when somebody has something to say, for poll(2), which passes over -1. */
void control_listen(const struct control *s, struct pollfd ears[CONTROL_EARS]);
/* Do what has come through the socket; @bytes of the recording, for its status. */
void control_attend(struct control *s, uint64_t bytes);
/* A signal came: true if it was for us. */
bool control_signal(struct control *s, int number);
/* The recording is over, for good. */
void control_end(struct control *s);
/* Was a new file asked for? Once. */
bool control_take_rotation(struct control *s);

/* The other side: send @command to the socket at @path and get the answer. */
int control_ask(const char *path, const char *command, char *answer, size_t answer_bytes,
		struct softlbr_error *e);
