// SPDX-License-Identifier: MIT
// The same for C++: exceptions, virtual calls, operators, templates. See forms.c.
struct base {
	virtual int get(int x) = 0;
};

template <typename T, int N = 3> struct holder {
	T items[N];
	bool operator<(const holder &other) const
	{
		return items[0] < other.items[0];
	}
};

int caught(base *b, int x)
{
	try {
		return b->get(x);
	} catch (int e) {
		return e > 3 ? e : 3;
	}
}

bool compared(const holder<long, 5> &a, const holder<long, 5> &b)
{
	return a < b && b.items[1] > 3;
}
