// SPDX-License-Identifier: MIT
// Evaluates sums, such as 12+(3*0x2f)-4, that it makes itself.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

extern "C" long digits_read(const char **at);

namespace {

class Reader {
public:
	explicit Reader(const char *text) : at(text) {}

	long sum()
	{
		long value = product();

		for (;;)
			if (*at == '+')
				++at, value += product();
			else if (*at == '-')
				++at, value -= product();
			else
				return value;
	}

private:
	long product()
	{
		long value = factor();

		while (*at == '*' || *at == '/') {
			if (*at++ == '*') {
				value = value * factor() % 1000003;
				continue;
			}
			long by = factor();
			if (!by)
				throw std::runtime_error("division by 0");
			value /= by;
		}
		return value;
	}

	long factor()
	{
		long value;

		if (*at != '(')
			return digits_read(&at);
		++at;
		value = sum();
		if (*at++ != ')')
			throw std::runtime_error("no )");
		return value;
	}

	const char *at;
};

} // namespace

int main(int argc, char **argv)
{
	unsigned x = argc > 2 ? atoi(argv[2]) : 1;
	std::string text;
	long all = 0;

	for (int i = 0; i < 200; i++) {
		x = x * 1664525 + 1013904223;
		text += x >> 31 ? std::to_string(x >> 20) : "0x" + std::to_string((x >> 8) % 90);
		text += x >> 29 == 3 ? "*(7-2)+" : x >> 29 == 6 ? "/3-" : "+";
	}
	text += "0";
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i--;)
		all += Reader(text.c_str()).sum();
	printf("%ld\n", all);
	return 0;
}
