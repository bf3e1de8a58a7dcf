/* SPDX-License-Identifier: MIT */
/*
 * The command that is recorded from outside. It is the recorder's child, not the tracer's: should
 * that be killed, the recorder still waits for the command and has its status.
 */
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "collector/recorder/recorder.h"

struct tracee_command {
	pid_t pid;  /* 0: there is none */
	int go;	    /* the command begins by a byte, and not where this end is closed */
	int failed; /* has the errno of an exec that failed */
};

/* Make the child, which waits to be traced, with the signal mask @mask. 0, or an error. */
int tracee_command_start(struct tracee_command *c, const struct recorder_options *o,
			 const sigset_t *mask, struct softlbr_error *e);
/* Let it begin; false: it is not there any more. */
bool tracee_command_go(struct tracee_command *c);
/* Close the ends: the tracer's, or the recorder's when the tracer has them. */
void tracee_command_close(struct tracee_command *c);
/* The recorder's: wait for its end. */
void tracee_command_wait(const struct tracee_command *c, int *status, struct rusage *usage);
