// SPDX-License-Identifier: MIT
// Thirty functions with names that no table has room for, each a loop.
template <unsigned Number, typename Kind> struct collection_of_things_with_a_long_name {
	__attribute__((noinline)) static void visit_all_that_are_in_it(unsigned n, volatile Kind *sum)
	{
		for (unsigned i = 0; i < n; i++)
			*sum = *sum + (Kind)Number;
	}
};

template <unsigned Number> static void visit(volatile unsigned long *sum)
{
	collection_of_things_with_a_long_name<Number, unsigned long>::visit_all_that_are_in_it(1000, sum);
	if constexpr (Number > 0)
		visit<Number - 1>(sum);
}

int main()
{
	volatile unsigned long sum = 0;

	visit<29>(&sum);
	return sum == 0;
}
