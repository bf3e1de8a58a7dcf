/* SPDX-License-Identifier: MIT */
#include "collector/inside/interpose/interposed.h"

#include <dlfcn.h>
#include <stddef.h>

struct interposed interposed_libc;

void *interposed_next(const char *name, void **known)
{
	if (!*known)
		*known = dlsym(RTLD_NEXT, name);
	return *known;
}

/* In the order in which their files number them. */
static const char *const waits[] = {"sigwait",	    "sigwaitinfo", "sigtimedwait", "sigpending",
				    "sigsuspend",   "ppoll",	   "pselect",	   "epoll_pwait",
				    "epoll_pwait2", "signalfd"};
static const char *const sends[] = {"raise", "pthread_kill", "pthread_sigqueue", "tgkill",
				    "kill",  "killpg",	     "sigqueue"};
static const char *const old_signals[] = {"sigset", "sighold", "sigrelse", "sigignore",
					  "siginterrupt"};

static void resolve_list(void **known, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		interposed_next(names[i], &known[i]);
}

void interposed_resolve(struct interposed *known)
{
	interposed_next("pthread_create", &known->pthread_create);
	interposed_next("thrd_create", &known->thrd_create);
	interposed_next("mmap", &known->mmap);
	interposed_next("mprotect", &known->mprotect);
	interposed_next("dlclose", &known->dlclose);
	interposed_next("ioctl", &known->ioctl);
	interposed_next("sigaction", &known->sigaction);
	interposed_next("signal", &known->signal);
	interposed_next("sigprocmask", &known->sigprocmask);
	interposed_next("pthread_sigmask", &known->pthread_sigmask);
	interposed_next("pthread_attr_getsigmask_np", &known->getsigmask);
	interposed_next("__sysv_signal", &known->sysv_signal);
	interposed_next("system", &known->system);
	interposed_next("popen", &known->popen);
	resolve_list(known->waits, waits, sizeof(waits) / sizeof(waits[0]));
	resolve_list(known->sends, sends, sizeof(sends) / sizeof(sends[0]));
	resolve_list(known->old_signals, old_signals, sizeof(old_signals) / sizeof(old_signals[0]));
	interposed_next("close", &known->close);
	interposed_next("closefrom", &known->closefrom);
	interposed_next("fcntl", &known->fcntl);
	interposed_next("fstat", &known->fstat);
	interposed_next("__fxstat", &known->fxstat);
	interposed_next("execve", &known->execve);
	interposed_next("execvpe", &known->execvpe);
	interposed_next("fexecve", &known->fexecve);
	interposed_next("execveat", &known->execveat);
	interposed_next("posix_spawn", &known->posix_spawn);
	interposed_next("posix_spawnp", &known->posix_spawnp);
	interposed_next("ptrace", &known->ptrace);
}
