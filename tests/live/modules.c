/* SPDX-License-Identifier: MIT */
/*
 * modules A B: loads the libraries by turns, each where the other was if the linker will, and works
 * in them. With -DLIBRARY=name: a library, whose only function is name().
 */
#include <stdint.h>

#ifdef LIBRARY

#include "busy.h"

uint64_t LIBRARY(uint64_t seed);

uint64_t LIBRARY(uint64_t seed)
{
	uint64_t sum = 0;

#ifdef OTHER
	for (unsigned i = 0; i < 100000; i++)
		sum = sum * 3 + work_here(seed + i, 20);
#else
	sum = work_here(seed, 2000000);
#endif
	return sum;
}

#else

#include <dlfcn.h>
#include <stdio.h>

static uint64_t run(const char *path, const char *name)
{
	uint64_t (*work)(uint64_t), sum;
	void *handle = dlopen(path, RTLD_NOW);

	if (!handle) {
		printf("%s\n", dlerror());
		return 0;
	}
	*(void **)&work = dlsym(handle, name);
	sum = work(1);
	dlclose(handle);
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	for (unsigned i = 0; argc > 2 && i < 60; i++)
		sum += i % 2 ? run(argv[1], "in_a") : run(argv[2], "in_b");
	printf("%016lx\n", sum);
	return 0;
}

#endif
