// SPDX-License-Identifier: MIT
// Vehicle-scheduling-like minimum cost flow, network simplex (LEMON).
#include <lemon/smart_graph.h>
#include <lemon/network_simplex.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
using namespace lemon;
static unsigned long s;
static int rnd(int m)
{
	s = s * 6364136223846793005ul + 1442695040888963407ul;
	return (int)((s >> 33) % m);
}
int main(int c, char **v)
{
	int n = c > 1 ? atoi(v[1]) : 5000, m = c > 2 ? atoi(v[2]) : 40000;
	s = c > 3 ? atoi(v[3]) : 1;
	SmartDigraph g;
	std::vector<SmartDigraph::Node> nd;
	for (int i = 0; i < n; i++)
		nd.push_back(g.addNode());
	SmartDigraph::ArcMap<int> cap(g), cost(g);
	SmartDigraph::NodeMap<int> sup(g);
	for (int i = 0; i < n; i++) {
		auto a = g.addArc(nd[i], nd[(i + 1) % n]);
		cap[a] = 1000000;
		cost[a] = 30000;
	}
	for (int i = 0; i < m; i++) {
		int u = rnd(n), w = (u + 1 + rnd(n / 8)) % n;
		auto a = g.addArc(nd[u], nd[w]);
		cap[a] = 1 + rnd(60);
		cost[a] = 10 + rnd(2000) + (w - u + n) % n;
	}
	for (int i = 0; i < n / 3; i++) {
		int u = rnd(n), w = rnd(n), q = 1 + rnd(40);
		sup[nd[u]] += q;
		sup[nd[w]] -= q;
	}
	NetworkSimplex<SmartDigraph> ns(g);
	ns.upperMap(cap).costMap(cost).supplyMap(sup);
	const NetworkSimplex<SmartDigraph>::PivotRule r[] = {
		NetworkSimplex<SmartDigraph>::BLOCK_SEARCH,
		NetworkSimplex<SmartDigraph>::CANDIDATE_LIST,
		NetworkSimplex<SmartDigraph>::ALTERING_LIST};
	for (auto p : r) {
		int st = ns.run(p);
		printf("%d %ld\n", st, ns.totalCost<long>());
	}
	return 0;
}
