/* SPDX-License-Identifier: MIT */
/* A nest of loops whose turns are known: 7, in each of them 40, and 1 to 4 by turns. */
static volatile unsigned work;

__attribute__((noinline)) static void nest(void)
{
	for (unsigned i = 0; i < 7; i++)
		for (unsigned k = 0; k < 40; k++) /* forty */
			work += i ^ k;
}

__attribute__((noinline)) static void few(unsigned round)
{
	unsigned turns = 1 + round % 4;

	do /* few */
		work += round;
	while (--turns);
}

int main(void)
{
	for (unsigned round = 0; round < 600000; round++) {
		nest();
		few(round);
	}
	return !work;
}
