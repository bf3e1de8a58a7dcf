# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="mono mcs"

title() {
  mono --version | sed -n '1s/.*version \([0-9.]*\).*/mono \1: a program compiled, its JIT, GC, threads, exceptions/p'
}

prepare() {
  cat >"$input/Work.cs" <<'END'
using System;
using System.Collections.Generic;
using System.Threading;

class Work {
	static long Sum(long seed) {
		var d = new SortedDictionary<string, long>(StringComparer.Ordinal);
		for (int i = 0; i < 60000; i++) {
			seed = (seed * 1103515245 + 12345) % 2147483648;
			string k = "k" + seed % 2003;
			d.TryGetValue(k, out long v);
			d[k] = v + i;
		}
		long sum = 0;
		foreach (var p in d) sum = (sum * 31 + p.Value + p.Key.Length) % 1000000007;
		return sum;
	}
	static void Main() {
		var results = new long[4];
		var threads = new Thread[4];
		for (int n = 0; n < 4; n++) { int m = n; threads[n] = new Thread(() => results[m] = Sum(m + 1)); threads[n].Start(); }
		foreach (var t in threads) t.Join();
		Console.WriteLine(string.Join(" ", results));
		string s = null;
		int caught = 0;
		for (int i = 0; i < 2000; i++) try { caught += s.Length; } catch (NullReferenceException) { caught++; }
		Console.WriteLine(caught);
		for (int i = 0; i < 2000; i++) { var garbage = new byte[10000 + i]; garbage[i % 100] = 1; }
		GC.Collect();
		Console.WriteLine(GC.CollectionCount(0) > 0);
	}
}
END
}

run() {
  "$@" mcs -out:work.exe "$input/Work.cs" || return
  "$@" mono work.exe
}
