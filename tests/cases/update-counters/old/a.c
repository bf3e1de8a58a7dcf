#include <stdio.h>
#include <stdlib.h>
static int twice(int a)
{
	return a * 2;
}
static int thrice(int a)
{
	return a * 3;
}
static int (*volatile calls[2])(int) = {twice, thrice};
static __attribute__((noinline)) int work(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		if (i % 3)
			sum += calls[i % 7 == 0](i);
		else if (i % 5)
			sum ^= i;
	}
	return sum;
}
static __attribute__((noinline)) int other(int n)
{
	int sum = 0;
	while (n > 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		sum++;
		if (sum > 100)
			return 7;
		else if (sum == 50)
			puts("fifty");
	}
	return sum;
}
int main(int argc, char **argv)
{
	printf("%d %d\n", work(argc * 1000), other(27));
	return argv == NULL;
}
