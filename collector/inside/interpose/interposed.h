/* SPDX-License-Identifier: MIT */
/* libc's functions behind those that the collector puts before them: interpose*.c. */
#pragma once

#define EXPORT __attribute__((visibility("default")))

/* Where they are; NULL: not looked up yet. */
struct interposed {
	void *pthread_create, *thrd_create, *mmap, *mprotect, *dlclose,
		*ioctl;						  /* threads, memory */
	void *sigaction, *signal, *sigprocmask, *pthread_sigmask; /* _signals.c */
	void *getsigmask;
	void *waits[10];		    /* _waits.c */
	void *sends[7];			    /* _signals.c: calls that send */
	void *sysv_signal, *old_signals[5]; /* _signals.c */
	void *execve, *execvpe, *fexecve, *execveat, *posix_spawn, *posix_spawnp; /* _exec.c */
	void *system, *popen;							  /* _exec.c */
	void *close, *closefrom, *fcntl, *fstat, *fxstat; /* _descriptors.c */
	void *ptrace;					  /* _confinement.c */
};

/* Set when the library is loaded, or at the first call; never changed after. */
extern struct interposed interposed_libc;

/* libc's own function of that name, looked up once. */
void *interposed_next(const char *name, void **known);

/* Look all up now: a lookup takes locks, and some of the calls are made from signal handlers and in
 * children of vfork. */
void interposed_resolve(struct interposed *known);
