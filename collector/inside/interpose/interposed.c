/* SPDX-License-Identifier: MIT */
/*
 * libc's functions behind those that the library exports, and what its own calls of these come to:
 * not to its own, which are the program's door, but to the kernel or libc's. The linker leads the
 * library's calls of NAME to __wrap_NAME (--wrap, in collector/CMakeLists.txt);
 * tests/tree/own_calls.py finds what is missing.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "collector/inside/interpose/interposed.h"
#include "collector/kernel/syscall.h"

#define NAME(name) #name,
static const char *const names[] = {INTERPOSED_NAMES(NAME)};

/* NULL: not looked up yet. */
static void *known[INTERPOSED_COUNT];

void *interposed_next(enum interposed name)
{
	if (!known[name])
		known[name] = dlsym(RTLD_NEXT, names[name]);
	return known[name];
}

void interposed_resolve(void)
{
	for (unsigned i = 0; i < INTERPOSED_COUNT; i++)
		interposed_next((enum interposed)i);
}

long interposed_result(long rc)
{
	if (rc >= 0 || rc < -4095)
		return rc;
	errno = (int)-rc;
	return -1;
}

/* ---- the kernel ---------------------------------------------------------------------------- */

int __wrap_open(const char *path, int flags, ...);
int __wrap_openat(int directory, const char *path, int flags, ...);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *bytes, int flags);
FILE *__wrap_fopen(const char *path, const char *mode);
DIR *__wrap_opendir(const char *path);
int __wrap_close(int fd);
int __wrap_fstat(int fd, struct stat *out);
int __wrap_dup2(int old, int wanted);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
long __wrap_syscall(long number, ...);
int __wrap_raise(int number);
int __wrap_sigaction(int number, const struct sigaction *new_action, struct sigaction *old_action);
int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);

/* Behind the flags comes the mode, where there is one. */
static int open_at(int directory, const char *path, int flags, va_list rest)
{
	return (int)interposed_result(syscall_6(SYS_openat, (uint64_t)directory, (uintptr_t)path,
						(uint64_t)flags, va_arg(rest, uint64_t), 0, 0));
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list rest;
	int fd;

	va_start(rest, flags);
	fd = open_at(AT_FDCWD, path, flags, rest);
	va_end(rest);
	return fd;
}

int __wrap_openat(int directory, const char *path, int flags, ...)
{
	va_list rest;
	int fd;

	va_start(rest, flags);
	fd = open_at(directory, path, flags, rest);
	va_end(rest);
	return fd;
}

int __wrap_socket(int domain, int type, int protocol)
{
	return (int)interposed_result(
		syscall_3(SYS_socket, (uint64_t)domain, (uint64_t)type, (uint64_t)protocol));
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *bytes, int flags)
{
	return (int)interposed_result(syscall_6(SYS_accept4, (uint64_t)fd, (uintptr_t)address,
						(uintptr_t)bytes, (uint64_t)flags, 0, 0));
}

int __wrap_close(int fd)
{
	return (int)interposed_result(syscall_3(SYS_close, (uint64_t)fd, 0, 0));
}

int __wrap_fstat(int fd, struct stat *out)
{
	return (int)interposed_result(syscall_3(SYS_fstat, (uint64_t)fd, (uintptr_t)out, 0));
}

int __wrap_dup2(int old, int wanted)
{
	return (int)interposed_result(syscall_dup2(old, wanted));
}

int __wrap_fcntl(int fd, int command, ...)
{
	uint64_t argument;
	va_list rest;

	va_start(rest, command);
	argument = va_arg(rest, uint64_t);
	va_end(rest);
	return (int)interposed_result(
		syscall_3(SYS_fcntl, (uint64_t)fd, (uint64_t)command, argument));
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	uint64_t argument;
	va_list rest;

	va_start(rest, request);
	argument = va_arg(rest, uint64_t);
	va_end(rest);
	return (int)interposed_result(syscall_3(SYS_ioctl, (uint64_t)fd, request, argument));
}

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return (void *)interposed_result(syscall_6(SYS_mmap, (uintptr_t)address, bytes,
						   (uint64_t)protection, (uint64_t)flags,
						   (uint64_t)fd, (uint64_t)offset));
}

long __wrap_syscall(long number, ...)
{
	uint64_t a[6];
	va_list rest;

	va_start(rest, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(rest, uint64_t);
	va_end(rest);
	return interposed_result(syscall_6(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

/* ---- libc's own: it knows more than the kernel --------------------------------------------- */

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return NEXT(fopen)(path, mode);
}

DIR *__wrap_opendir(const char *path)
{
	return NEXT(opendir)(path);
}

int __wrap_raise(int number)
{
	return NEXT(raise)(number);
}

int __wrap_sigaction(int number, const struct sigaction *new_action, struct sigaction *old_action)
{
	return NEXT(sigaction)(number, new_action, old_action);
}

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return NEXT(pthread_sigmask)(how, set, old);
}
