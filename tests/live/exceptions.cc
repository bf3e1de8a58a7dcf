// Exceptions, virtual calls, destructors and switches in one small program, for bolt.sh.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct shape {
	virtual ~shape() = default;
	virtual long weight(long x) const = 0;
};

struct square : shape {
	long weight(long x) const override { return x * x; }
};

struct line : shape {
	long weight(long x) const override
	{
		if (x % 97 == 0)
			throw std::runtime_error("no weight for " + std::to_string(x));
		return x + 3;
	}
};

struct guard {
	long *slot;
	explicit guard(long *s) : slot(s) { ++*slot; }
	~guard() { *slot += 2; }
};

__attribute__((noinline)) long pick(long x)
{
	switch (x & 15) {
	case 0: return x + 1;
	case 1: return x * 3;
	case 2: return x - 7;
	case 3: return x ^ 0x55;
	case 4: return x | 0x100;
	case 5: return x >> 2;
	case 6: return -x;
	case 7: return x * x;
	case 13: return 13;
	default: return std::abs(x);
	}
}

__attribute__((noinline)) long measure(const shape &s, long x, long *live)
{
	guard g(live);
	std::string name = x & 1 ? "odd" : "even";
	long w = s.weight(x);

	return w + static_cast<long>(name.size()) + pick(x);
}

__attribute__((noinline)) long total(const std::vector<std::unique_ptr<shape>> &all, long n)
{
	long sum = 0, live = 0, failures = 0;

	for (long i = 1; i <= n; i++) {
		for (const auto &s : all) {
			try {
				sum += measure(*s, i, &live);
			} catch (const std::runtime_error &e) {
				failures += e.what()[0] == 'n';
			}
		}
	}
	return sum * 31 + live * 7 + failures;
}

} // namespace

int main(int argc, char **argv)
{
	std::vector<std::unique_ptr<shape>> all;

	all.push_back(std::make_unique<square>());
	all.push_back(std::make_unique<line>());
	std::printf("%ld\n", total(all, argc > 1 ? std::atol(argv[1]) : 20000));
	return 0;
}
