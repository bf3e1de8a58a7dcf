/* SPDX-License-Identifier: MIT */
/* What gcc's dump has forms of its own for: compiled by make.sh, read by tests/unit/gcc_dump.c. */
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
/* clang-format off */
typedef int (*operation)(int);

int add_1(int x);
void *memcpy(void *to, const void *from, unsigned long n);

int goes(const unsigned char *p, int n)
{
	static void *const labels[] = {&&add, &&end};

	goto *labels[*p++];
add:
	n += 3;
	goto *labels[*p++];
end:
	return n;
}

int calls(int x, operation op)
{
	switch (x) {
	case 1:
		return op(3);
	case 2:
		return add_1(x);
	default:
		__asm__ volatile("nop # [a.c:1:2]\n;;   basic block 9, loop\n\tnop");
		return LARGER(x, 7);
	}
}

void values(char *to, const char *from, unsigned n, unsigned by)
{
	memcpy(to, from, n);
	for (unsigned i = 0; i < n; i++) to[i / by] = from[i % by] == '[' ? 1 : 2;
}
#line 7 "a file.y"
int other(int x) { return x > 3 && x < 9 ? add_1(x) : x; }
