/* SPDX-License-Identifier: MIT */
/* mappings COUNT: maps its own code so often, once in 60 us, like who loads many libraries. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	int file = open(argv[0], O_RDONLY), count = argc > 1 ? atoi(argv[1]) : 1;
	double next = now_us();

	for (int i = 0; i < count; i++) {
		void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);

		if (code == MAP_FAILED)
			return 1;
		munmap(code, 4096);
		for (next += 60; now_us() < next;)
			;
	}
	return 0;
}
