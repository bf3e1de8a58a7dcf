# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="ruby"

title() {
  ruby --version | sed 's/ruby \([0-9.p]*\).*/ruby \1: strings, hashes, threads, fibers, GC, fork/'
}

prepare() {
  cat >"$input/script.rb" <<'END'
require 'digest'
words = Hash.new(0)
seed = 1
60000.times { seed = (seed * 1103515245 + 12345) % 2147483648; words["w#{seed >> 16}"] += 1 }
puts Digest::SHA256.hexdigest(words.sort.inspect)
puts "a1b22c333".gsub(/\d+/) { |n| (n.to_i * 2).to_s }
fiber = Fiber.new { 5000.times { |i| Fiber.yield i * i } }
puts (1..5000).sum { fiber.resume }
puts 8.times.map { |n| Thread.new { (1..20000).inject { |a, b| (a * 31 + b * n) % 1000003 } } }.map(&:value).inspect
r, w = IO.pipe
pid = fork { w.puts (1..100000).inject(:+); exit! 3 }
w.close
puts r.read, Process.wait2(pid)[1].exitstatus
3.times { 20000.times { "x" * 100 }; GC.start }
trap('USR1') { puts 'usr1' }
Process.kill('USR1', Process.pid)
sleep 0.05
begin; def deep(n) = deep(n + 1); deep(0); rescue SystemStackError; puts 'deep'; end
puts 2**1000 % 1000007
END
}

run() {
  "$@" ruby "$input/script.rb"
}
