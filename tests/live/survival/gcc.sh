# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="gcc g++"
compiler=gcc

title() {
  echo "gcc $(gcc -dumpfullversion): C at -O2 and C++ with debug information, linked and run"
}

prepare() {
  cat >"$input/regex.cc" <<'END'
#include <iostream>
#include <map>
#include <regex>
int main()
{
	std::map<std::string, int> n;
	std::string text = "one two three four one two one";
	std::regex word("[a-z]+");
	for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i)
		n[i->str()]++;
	for (auto &p : n)
		std::cout << p.first << ' ' << p.second << '\n';
}
END
}

run() {
  for file in engine/core inside/handler/follow; do
    "$@" $compiler -O2 -g -D_GNU_SOURCE -I"$root" -I"$root/include" -fdebug-prefix-map="$root"=. -DSOFTLBR_VERSION='"0"' \
      -S "$root/collector/$file.c" -o file.s || return
    sha256sum file.s
  done
  "$@" ${compiler_cxx:-g++} -O1 -g "$input/regex.cc" -o regex || return
  sha256sum regex
  ./regex
}
