/* Its other half. */

int multiply_up(int value, int by)
{
	int sum = 0;

	for (int i = 0; i < by; i++)
		sum += value * i;
	return sum;
}
