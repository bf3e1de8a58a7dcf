/* A program. */
static int helper(int a)
{
	return a * 3 + 1;
}

static int scale(int value, int by)
{
	int sum = 0;

	for (int i = 0; i < by; i++)
		sum += value * i;
	return sum;
}

int gone(int x)
{
	return x ^ 5;
}

int main(int argc, char **argv)
{
	int total = 0;

	for (int i = 0; i < argc; i++) {
		total += helper(i);
		total += scale(i, 3);
	}
	total += gone(total);
	return total;
}
