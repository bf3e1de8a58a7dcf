# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="qemu-x86_64 gcc"

title() {
  qemu-x86_64 --version | sed -n '1s/.*version \([0-9.]*\).*/qemu-user \1: a static program with signals, translated/p'
}

prepare() {
  cat >"$input/work.c" <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int caught;
static void on_signal(int number) { caught += number; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int numbers[200000];
int main(void)
{
	unsigned long sum = 1;
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 200000; i++)
		numbers[i] = (int)((sum = sum * 6364136223846793005u + 1442695040888963407u) >> 40);
	qsort(numbers, 200000, sizeof(int), compare);
	for (int i = 0; i < 200000; i++)
		sum = sum * 31 + (unsigned long)numbers[i];
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	printf("%lx %d\n", sum, caught);
}
END
  gcc -O1 -static -o "$input/work" "$input/work.c" || return 75
}

run() {
  "$@" qemu-x86_64 "$input/work"
}
