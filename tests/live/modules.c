/* SPDX-License-Identifier: MIT */
/*
 * modules A B: loads the libraries by turns, each where the other was if the linker will, and works
 * in them. With -DLIBRARY=name: a library, whose only function is name().
 */
#include <stdint.h>

#ifdef LIBRARY

uint64_t LIBRARY(uint64_t seed);

uint64_t LIBRARY(uint64_t seed)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 2000000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
#ifdef OTHER
		for (unsigned j = 0; j < (seed >> 60 & 3); j++)
			sum = sum * 3 + j;
#endif
		if (seed >> 60 < 6)
			sum += seed >> 40;
	}
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
