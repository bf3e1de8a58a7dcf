// SPDX-License-Identifier: MIT
import std.stdio, std.conv;

long step(long i)
{
    long r = i;
    foreach (k; 0 .. 5)
    {
        if ((r & 1) == 0)
            r /= 2;
        else
            r = 3 * r + 1;
        if (r > 1_000_000_000)
            r -= 77;
    }
    return r;
}

void main(string[] args)
{
    long n = to!long(args[1]);
    long s = 0;
    foreach (i; 0 .. n)
        s += step(i);
    writeln(s);
}
