/* SPDX-License-Identifier: MIT */
/* D3Q19 lattice Boltzmann, BGK, lid-driven box with obstacles; the shape of SPEC's lbm. */
#include <stdio.h>
#include <stdlib.h>
#define Q 19
static const int c[Q][3] = {{0, 0, 0},	{1, 0, 0},   {-1, 0, 0},  {0, 1, 0},   {0, -1, 0},
			    {0, 0, 1},	{0, 0, -1},  {1, 1, 0},	  {-1, -1, 0}, {1, -1, 0},
			    {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1},  {-1, 0, 1},
			    {0, 1, 1},	{0, -1, -1}, {0, 1, -1},  {0, -1, 1}};
static const double w[Q] = {1. / 3,  1. / 18, 1. / 18, 1. / 18, 1. / 18, 1. / 18, 1. / 18,
			    1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36,
			    1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
static const int opp[Q] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17};
static int n;
static unsigned char *solid;
#define IX(x, y, z) (((size_t)(z)*n + (y)) * n + (x))
static void step(const double *restrict f, double *restrict g)
{
	const double om = 1.2;
	for (int z = 1; z < n - 1; z++)
		for (int y = 1; y < n - 1; y++)
			for (int x = 1; x < n - 1; x++) {
				size_t i = IX(x, y, z);
				double p[Q], r = 0, u = 0, v = 0, s = 0;
				if (solid[i])
					continue;
				for (int q = 0; q < Q; q++) {
					size_t j = IX(x - c[q][0], y - c[q][1], z - c[q][2]);
					if (solid[j] == 1)
						p[q] = f[i * Q + opp[q]];
					else if (solid[j] == 2)
						p[q] = f[i * Q + opp[q]] +
						       6 * w[q] * 0.05 * c[q][0];
					else
						p[q] = f[j * Q + q];
					r += p[q];
					u += p[q] * c[q][0];
					v += p[q] * c[q][1];
					s += p[q] * c[q][2];
				}
				u /= r;
				v /= r;
				s /= r;
				double k = 1.5 * (u * u + v * v + s * s);
				for (int q = 0; q < Q; q++) {
					double e = 3 * (c[q][0] * u + c[q][1] * v + c[q][2] * s);
					g[i * Q + q] = p[q] * (1 - om) +
						       om * w[q] * r * (1 + e + .5 * e * e - k);
				}
			}
}
int main(int a, char **v)
{
	n = a > 1 ? atoi(v[1]) : 60;
	int it = a > 2 ? atoi(v[2]) : 50;
	size_t m = (size_t)n * n * n;
	unsigned s = 7;
	double *f = malloc(m * Q * sizeof *f), *g = malloc(m * Q * sizeof *g), *t, sum = 0;
	solid = calloc(m, 1);
	for (size_t i = 0; i < m; i++)
		for (int q = 0; q < Q; q++)
			f[i * Q + q] = g[i * Q + q] = w[q];
	for (int z = 0; z < n; z++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++) {
				s = s * 1664525u + 1013904223u;
				if (!x || !y || !z || x == n - 1 || y == n - 1)
					solid[IX(x, y, z)] = 1;
				else if (z == n - 1)
					solid[IX(x, y, z)] = 2;
				else if ((s >> 16) % 100 < 2)
					solid[IX(x, y, z)] = 1;
			}
	for (int i = 0; i < it; i++) {
		step(f, g);
		t = f;
		f = g;
		g = t;
	}
	for (size_t i = 0; i < m; i++)
		if (!solid[i])
			for (int q = 0; q < Q; q++)
				sum += f[i * Q + q] * (double)(q + 1);
	printf("%.6f\n", sum);
	return 0;
}
