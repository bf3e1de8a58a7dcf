/* The program of the cases: one loop without a branch in it, in a function of its own. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) unsigned long work(unsigned long n)
{
	unsigned long sum = 1;

	do {
		sum = sum * 3 ^ n;
	} while (--n);
	return sum;
}

unsigned long work_by_another_name(unsigned long) __attribute__((alias("work")));

int main(int argc, char **argv)
{
	printf("%lu\n", work(argc > 1 ? strtoul(argv[1], NULL, 0) : 1000));
	return 0;
}
