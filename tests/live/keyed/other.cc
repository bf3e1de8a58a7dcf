// SPDX-License-Identifier: MIT
#include "part.h"

#include <algorithm>
#include <vector>

namespace
{
template <typename T> __attribute__((noinline)) int count(const std::vector<T> &v, T x)
{
	return (int)std::count_if(v.begin(), v.end(), [x](T y) { return y > x; });
}
} // namespace

int other(int x)
{
	std::vector<int> v{1, 2, 3, x};

	return count(v, 2);
}
