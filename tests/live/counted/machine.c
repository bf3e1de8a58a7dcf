/* SPDX-License-Identifier: MIT */
/* An interpreter, which jumps by what `goto *` computes, and is made of macros; a switch; and what
 * never runs. */
#include "counted.h"

#define NEXT goto *to[code[at++]]
#define OPERATION(what) \
	do {            \
		what;   \
		NEXT;   \
	} while (0)
#define ADD sum += at
#define TWICE                       \
	do {                        \
		sum *= 2;           \
		if (sum > 100000)   \
			sum = -sum; \
	} while (0)
#define DROP sum -= 3
#define SKIP                        \
	do {                        \
		if (--steps < 0)    \
			return sum; \
		if (steps & 1)      \
			at++;       \
		if (at > 62)        \
			at = 62;    \
	} while (0)

int run(const unsigned char *code, int steps)
{
	static const void *const to[] = {&&add, &&twice, &&drop, &&loop, &&end};
	int sum = 0, at = 0;

	NEXT;
add:
	OPERATION(ADD);
twice:
	OPERATION(TWICE);
drop:
	OPERATION(DROP);
loop:
	OPERATION(SKIP);
end:
	return sum;
}

int sort_of(unsigned x)
{
	switch (x % 9) {
	case 0:
		return 7;
	case 1:
		return (int)mix(x) % 11;
	case 2:
		return (int)(x / 3);
	case 3:
		return -4;
	case 5:
		return (int)(x ^ 21);
	case 6:
		return (int)(x * x % 17);
	default:
		return 2;
	}
}

int never(int x)
{
	if (x > 5)
		return x / 3;
	return x * 2;
}
