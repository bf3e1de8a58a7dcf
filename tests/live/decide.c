/* SPDX-License-Identifier: MIT */
/* A cheap decision that has a dear consequence later: two of five rounds divide. */
static volatile unsigned rounds;

__attribute__((noinline)) static unsigned chosen_number(unsigned round)
{
	if (round % 5 < 2)
		return round + 1; /* decides */
	return 0;
}

int main(void)
{
	volatile double value = 1e9, by = 3;

	for (unsigned i = 0; i < 250000000; i++) {
		unsigned number = chosen_number(i);

		rounds++;
		if (number) /* follows */
			value = value / by + by / value;
	}
	return value < 0;
}
