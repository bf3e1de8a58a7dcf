/* SPDX-License-Identifier: MIT */
/* What the files that stand before libc share: interpose*.c. */
#ifndef COLLECTOR_INSIDE_INTERPOSE_H
#define COLLECTOR_INSIDE_INTERPOSE_H

#define EXPORT __attribute__((visibility("default")))

/* libc's own function of that name, looked up once. */
void *interpose_next(const char *name, void **known);

/* Look all up now: a lookup takes locks, and some of the calls are made from signal handlers and in
 * children of vfork. */
void interpose_resolve(void);
void interpose_signals_resolve(void);
void interpose_descriptors_resolve(void);

#endif
