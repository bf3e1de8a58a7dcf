/* SPDX-License-Identifier: MIT */
/*
 * The model test: a program that makes random calls, decided by a seed, and writes down what came
 * of each. What it writes is the same in every run of a seed, with and without a profiler: there
 * are no addresses, times and process ids in it, one thread at a time has its turn, and only that
 * one has signals unblocked.
 *
 * A step draws from dice of its own, so any of them can be left out when a difference is shrunk.
 */
#pragma once

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* dice.c */
struct dice {
	uint64_t state;
};

struct dice dice_of(uint64_t seed, uint64_t step);
uint32_t dice_below(struct dice *d, uint32_t limit);
bool dice_one_in(struct dice *d, uint32_t n);

/* journey.c: what is written down */
#define JOURNEY_FD 200 /* the log; what the descriptor steps leave alone */

void journey_open(const char *path);
const char *journey_path(void);
void journey_step(unsigned step, const char *name);
void journey_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "what = result errno" */
long journey_result(long result, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A child's lines are indented by how deep it is. */
extern unsigned journey_depth;
/* In a handler of a storm: says nothing. */
extern volatile sig_atomic_t journey_quiet;

/* lanes.c: threads that have turns; 0 is the main one */
#define LANES	  5
#define ALT_BYTES 262144u

struct lane {
	pthread_t thread;
	bool used;
	unsigned number;
	pid_t tid;
	sigjmp_buf back;
	volatile sig_atomic_t armed; /* a handler may jump to it */
	const char *frame;	     /* an address on its stack */
	const char *routine;	     /* a coroutine's stack that it is on */
	char *alternate;	     /* memory for its alternate stack */
	sigset_t mask;		     /* while it waits for its turn */
	void (*turn)(struct dice *); /* what to do in its next turn */
	struct dice dice;
};

extern __thread struct lane *lane;
void lanes_init(void);
/* In a child of fork: there is no other thread. */
void lanes_after_fork(void);
void lanes_wait_for_none(void);
void lanes_start(struct dice *d);
void lanes_end(struct dice *d);
/* Do @turn in another lane, if there is one. */
void lanes_hand_over(struct dice *d, void (*turn)(struct dice *));

/* memory.c: in a child of fork, what it does not have is forgotten */
void memory_after_fork(void);

/* dispositions.c: handlers, and what is known of them */
void dispositions_init(uint64_t ignored);
uint64_t dispositions_ignored(void);
/* One of the signals that the steps are about. */
int dispositions_any(struct dice *d);
const char *dispositions_name(int number);
bool dispositions_is_fatal(int number);
bool dispositions_is_caught(int number);
bool dispositions_is_reset(int number);
void dispositions_change(struct dice *d);
void dispositions_say(void);
/* How often a handler ran. */
extern volatile sig_atomic_t dispositions_count;
/* So often, then the timer is stopped; 0: as often as it comes. */
extern volatile sig_atomic_t dispositions_storm;
void dispositions_random_set(struct dice *d, sigset_t *set);
uint64_t dispositions_bits(const sigset_t *set);
/* All signals. */
void dispositions_fill(sigset_t *set);

/* state.c */
/* The flags without SS_AUTODISARM where there is no stack: the kernel keeps it by chance. */
int state_flags(const stack_t *alternate);
void state_say(struct dice *d);
void state_drain(void);

/* steps.c: the table of steps */
void steps_any(struct dice *d);

struct step {
	const char *name;
	unsigned weight;
	void (*run)(struct dice *);
};

/* The steps, by file. */
extern const struct step signals_steps[], timers_steps[], threads_steps[], memory_steps[],
	processes_steps[], descriptors_steps[], filters_steps[], faults_steps[], sleeps_steps[];

/* main.c */
struct model {
	const char *program;
	uint64_t seed;
	unsigned first, last; /* steps */
	const char *left_out; /* "3,7-9" or NULL */
};

extern struct model model;
/* Is @name among the words of $MODEL_WITHOUT? What is known to differ can be left out, to see the
 * rest: names of steps, TRAP for all that is about SIGTRAP, ONSTACK, and KICK for the two signals
 * by which a tracer stops threads from outside. */
bool model_is_without(const char *name);
extern unsigned model_step;
/* A child: does some steps, and ends with a status that depends on them. */
_Noreturn void model_child(struct dice *d);

/* waitpid for a child that ends: 0 or -1. Where its end is told and it is not kept for us
 * (SA_NOCLDWAIT), the signal may end the wait before the child is gone. */
int model_wait(pid_t child, int *status);
/* Branches that data decides. */
uint64_t model_work(uint64_t seed, unsigned rounds);
