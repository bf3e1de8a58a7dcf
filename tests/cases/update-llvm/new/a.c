/* A program. */
int multiply_up(int value, int by);

static int helper(int a)
{
	/* three times, and one more */
	return a * 3 + 1;
}

int main(int argc, char **argv)
{
	int total = 0;

	if (!argv)
		return 1;
	for (int i = 0; i < argc; i++) {
		total += multiply_up(i, 3);
		total += helper(i);
	}
	return total;
}
