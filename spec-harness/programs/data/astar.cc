// SPDX-License-Identifier: MIT
// A* over a weighted terrain grid (Boost.Graph adjacency_list), many queries.
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/astar_search.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
using namespace boost;
typedef adjacency_list<vecS, vecS, directedS, no_property, property<edge_weight_t, int>> G;
typedef graph_traits<G>::vertex_descriptor V;
static unsigned s;
static unsigned rnd(unsigned m)
{
	s = s * 1664525u + 1013904223u;
	return (s >> 8) % m;
}
struct H : astar_heuristic<G, int> {
	int w, gx, gy;
	H(int w, V g) : w(w), gx(g % w), gy(g / w)
	{
	}
	int operator()(V u) const
	{
		return 2 * std::abs(int(u % w) - gx) + 2 * std::abs(int(u / w) - gy);
	}
};
struct Found {
};
struct Vis : default_astar_visitor {
	V g;
	long *n;
	Vis(V g, long *n) : g(g), n(n)
	{
	}
	template <class Gr> void examine_vertex(V u, const Gr &)
	{
		++*n;
		if (u == g)
			throw Found();
	}
};
int main(int c, char **v)
{
	int w = c > 1 ? atoi(v[1]) : 400, q = c > 2 ? atoi(v[2]) : 10;
	s = c > 3 ? atoi(v[3]) : 12345;
	std::vector<unsigned char> t(w * w);
	for (auto &x : t)
		x = rnd(100) < 22 ? 255 : 2 + rnd(9);
	for (int k = 0; k < w / 4; k++) {
		int x = rnd(w), y = rnd(w), l = rnd(w / 3);
		for (int i = 0; i < l && x + i < w; i++)
			t[y * w + x + i] = 255;
	}
	G g(w * w);
	for (int y = 0; y < w; y++)
		for (int x = 0; x < w; x++) {
			if (t[y * w + x] == 255)
				continue;
			const int d[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
			for (auto &e : d) {
				int a = x + e[0], b = y + e[1];
				if (a < 0 || b < 0 || a >= w || b >= w || t[b * w + a] == 255)
					continue;
				add_edge(y * w + x, b * w + a, (t[y * w + x] + t[b * w + a]) / 2,
					 g);
			}
		}
	std::vector<V> p(w * w);
	std::vector<int> dist(w * w);
	long sum = 0, n = 0;
	for (int i = 0; i < q; i++) {
		V a, b;
		do
			a = rnd(w * w);
		while (t[a] == 255);
		do
			b = rnd(w * w);
		while (t[b] == 255);
		try {
			astar_search(
				g, a, H(w, b),
				predecessor_map(&p[0]).distance_map(&dist[0]).visitor(Vis(b, &n)));
		} catch (Found &) {
			sum += dist[b];
		}
	}
	printf("%ld %ld\n", sum, n);
	return 0;
}
