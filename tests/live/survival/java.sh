# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="java javac"

title() {
  java -version 2>&1 | sed -n '1s/.*"\(.*\)".*/java \1: compiled by javac, JIT, GC, threads, implicit null checks, stack overflow/p'
}

prepare() {
  mkdir -p "$input"
  cat >"$input/Work.java" <<'END'
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.*;

public class Work {
	static int depth(int n) { return depth(n + 1) + 1; }

	static long work(long seed) {
		Map<String, Integer> counts = new HashMap<>();
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < 100000; i++) {
			seed = seed * 6364136223846793005L + 1442695040888963407L;
			String key = "k" + (seed >>> 40) % 997;
			counts.merge(key, 1, Integer::sum);
			if (i % 20 == 0) text.append(key).append(',');
		}
		long sum = 0;
		for (String key : new TreeSet<>(counts.keySet())) sum = sum * 31 + counts.get(key);
		Matcher m = Pattern.compile("k(\\d)\\1*\\d*,").matcher(text);
		while (m.find()) sum += m.end();
		Object[] things = new Object[3];
		things[0] = "x";
		for (int i = 0; i < 30000; i++)
			try { sum += things[i % 4].hashCode(); }
			catch (NullPointerException e) { sum += 1; }
			catch (ArrayIndexOutOfBoundsException e) { sum += 2; }
		try { depth(0); } catch (StackOverflowError e) { sum += 3; }
		List<byte[]> garbage = new ArrayList<>();
		for (int i = 0; i < 4000; i++) {
			garbage.add(new byte[10000 + i]);
			if (garbage.size() > 100) garbage.clear();
			sum += garbage.size();
		}
		return sum;
	}

	public static void main(String[] arguments) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(4);
		List<Future<Long>> results = new ArrayList<>();
		for (long i = 0; i < 8; i++) {
			final long seed = i;
			results.add(pool.submit(() -> work(seed)));
		}
		for (Future<Long> f : results) System.out.println(f.get());
		pool.shutdown();
		Thread[] many = new Thread[40];
		long[] squares = new long[many.length];
		for (int i = 0; i < many.length; i++) {
			final int n = i;
			many[i] = new Thread(() -> { for (int k = 0; k < 100000; k++) squares[n] += k % (n + 1); });
			many[i].start();
		}
		for (Thread t : many) t.join();
		System.out.println(Arrays.stream(squares).sum());
		Process p = new ProcessBuilder("echo", "child").redirectErrorStream(true).start();
		System.out.println(new String(p.getInputStream().readAllBytes()).trim() + " " + p.waitFor());
	}
}
END
}

run() {
  "$@" javac -J-Xmx256m -d . "$input/Work.java" || return
  sha256sum Work.class
  "$@" java -Xmx256m -cp . Work
}
