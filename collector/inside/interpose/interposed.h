/* SPDX-License-Identifier: MIT */
/* libc's functions behind those that the collector puts before them: interpose*.c. */
#ifndef COLLECTOR_INSIDE_INTERPOSED_H
#define COLLECTOR_INSIDE_INTERPOSED_H

#define EXPORT __attribute__((visibility("default")))

/* Where they are; NULL: not looked up yet. */
struct interposed {
	void *pthread_create, *thrd_create, *mmap, *mprotect, *dlclose, *ioctl; /* interpose.c */
	void *sigaction, *signal, *sigprocmask, *pthread_sigmask; /* interpose_signals.c */
	void *getsigmask;
	void *waits[10];		    /* interpose_waits.c */
	void *sends[7];			    /* interpose_sends.c */
	void *sysv_signal, *old_signals[5]; /* interpose_signals.c, interpose_old_signals.c */
	void *execve, *execvpe, *fexecve, *execveat, *posix_spawn, *posix_spawnp; /* _exec.c */
	void *system, *popen;				  /* interpose_shell.c */
	void *close, *closefrom, *fcntl, *fstat, *fxstat; /* interpose_descriptors.c */
	void *ptrace;					  /* interpose_confinement.c */
};

/* Set when the library is loaded, or at the first call; never changed after. */
extern struct interposed interposed_libc;

/* libc's own function of that name, looked up once. */
void *interposed_next(const char *name, void **known);

/* Look all up now: a lookup takes locks, and some of the calls are made from signal handlers and in
 * children of vfork. */
void interposed_resolve(struct interposed *known);

#endif
