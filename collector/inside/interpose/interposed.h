/* SPDX-License-Identifier: MIT */
/* libc's functions behind those that the collector puts before them: interpose*.c. */
#pragma once

#define EXPORT __attribute__((visibility("default")))

/* Those that ours pass on to. */
/* clang-format off */
#define INTERPOSED_NAMES(X) \
	X(__fxstat) X(__open_2) X(__openat_2) X(__sysv_signal) X(accept) X(accept4) X(clone) \
	X(close) X(closefrom) X(dlclose) X(epoll_create1) X(epoll_pwait) X(epoll_pwait2) \
	X(eventfd) X(execve) X(execveat) X(execvpe) X(fcntl) X(fexecve) X(fopen) X(fstat) \
	X(inotify_init1) X(ioctl) X(kill) X(killpg) X(memfd_create) X(mmap) X(mprotect) \
	X(open) X(openat) X(opendir) X(pipe) X(pipe2) X(popen) X(posix_spawn) X(posix_spawnp) \
	X(ppoll) X(pselect) X(pthread_attr_getsigmask_np) X(pthread_create) X(pthread_kill) \
	X(pthread_sigmask) X(pthread_sigqueue) X(ptrace) X(raise) X(sigaction) X(sighold) \
	X(sigignore) X(siginterrupt) X(signal) X(signalfd) X(sigpending) X(sigprocmask) \
	X(sigqueue) X(sigrelse) X(sigset) X(sigsuspend) X(sigtimedwait) X(sigwait) \
	X(sigwaitinfo) X(socket) X(socketpair) X(system) X(tgkill) X(thrd_create) \
	X(timerfd_create) X(vfork)
/* clang-format on */

#define INTERPOSED_NUMBER(name) INTERPOSED_##name,
enum interposed { INTERPOSED_NAMES(INTERPOSED_NUMBER) INTERPOSED_COUNT };

/* libc's own; NULL if it has none. Looked up when the library is loaded, or at the first call. */
void *interposed_next(enum interposed name);
#define NEXT(name) ((__typeof__(&(name)))interposed_next(INTERPOSED_##name))

/* What libc would return for the kernel's @rc, which sets errno. */
long interposed_result(long rc);

/* Look all up now: a lookup takes locks, and some of the calls are made from signal handlers and in
 * children of vfork. */
void interposed_resolve(void);
