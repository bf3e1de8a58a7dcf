/* SPDX-License-Identifier: MIT */
#include "collector/inside/interposed.h"

#include <dlfcn.h>

void *interposed_next(const char *name, void **known)
{
	if (!*known)
		*known = dlsym(RTLD_NEXT, name);
	return *known;
}

void interposed_resolve(struct interposed *known)
{
	interposed_next("pthread_create", &known->pthread_create);
	interposed_next("thrd_create", &known->thrd_create);
	interposed_next("mmap", &known->mmap);
	interposed_next("mprotect", &known->mprotect);
	interposed_next("dlclose", &known->dlclose);
	interposed_next("sigaction", &known->sigaction);
	interposed_next("signal", &known->signal);
	interposed_next("sigprocmask", &known->sigprocmask);
	interposed_next("pthread_sigmask", &known->pthread_sigmask);
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
