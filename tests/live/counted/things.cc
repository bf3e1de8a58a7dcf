// SPDX-License-Identifier: MIT
// things N: virtual and template functions, and exceptions, for tests/live/counters.sh.
#include <cstdio>
#include <cstdlib>
#include <vector>

struct thing {
	virtual ~thing() = default;
	virtual int worth(int x) const = 0;
};

struct small : thing {
	int worth(int x) const override
	{
		return x % 3 ? x : 1;
	}
};

struct great : thing {
	int size;
	explicit great(int n) : size(n > 4 ? n : 4)
	{
	}
	int worth(int x) const override
	{
		return x > size ? x - size : x * size;
	}
};

template <typename T> static T largest(const std::vector<T> &all)
{
	T most = all[0];
	for (const T &one : all)
		if (most < one)
			most = one;
	return most;
}

static int checked(int x)
{
	if (x % 1000 == 999)
		throw x;
	return x;
}

// Its debug information has no linkage name.
static __attribute__((noinline)) int steps(unsigned x)
{
	int n = 0;

	for (; x > 1 && n < 40; n++)
		x = x & 1 ? 3 * x + 1 : x / 2;
	return n;
}

int main(int, char **argv)
{
	int n = std::atoi(argv[1]);
	std::vector<thing *> things;
	std::vector<int> sums(50);
	std::vector<double> halves(50);
	long sum = 0;

	for (int i = 0; i < 20; i++)
		things.push_back(i % 5 ? static_cast<thing *>(new small) : new great(i));
	for (int i = 0; i < n; i++) {
		int worth = things[(unsigned)i * 7 % things.size()]->worth(i);

		sums[(unsigned)i % 50] += worth;
		halves[(unsigned)i % 50] += worth / 2.0;
		try {
			sum += checked(i);
		} catch (int x) {
			sum -= x;
		}
		if (i % 16 == 0)
			sum += largest(sums) + steps((unsigned)i);
	}
	std::printf("%ld %d %.0f\n", sum, largest(sums), largest(halves));
	for (thing *one : things)
		delete one;
}
