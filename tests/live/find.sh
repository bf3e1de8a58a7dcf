#!/bin/sh
# SPDX-License-Identifier: MIT
# find.sh SOFTLBR: a recording of a C++ program and its library is converted, shown and compared without
# --binary: the program is found where it is now, a rebuilt one is refused, the library is chosen by its name,
# names are as the source has them.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
needs g++ python3 c++filt
needs_recording
export HOME="$work/home"
mkdir "$work/built" "$work/home"
cd "$work/built"

cat >library.cpp <<'END'
#include <map>
#include <string>
namespace library {
template <class Key, class Value> struct table {
  __attribute__((noinline)) long look_through_all_the_entries(std::map<Key, Value> const &entries, long n) const
  {
    volatile long sum = 0;
    for (long i = 0; i < n; i++)
      if (i % 3)
        sum += i ^ (long)entries.size();
    return sum;
  }
};
template struct table<std::string, std::string>;
}
extern "C" long library_work(long n)
{
  return library::table<std::string, std::string>().look_through_all_the_entries({}, n);
}
END
cat >program.cpp <<'END'
#include <stdlib.h>
extern "C" long library_work(long);
struct Counter {
  long sum = 0;
  __attribute__((noinline)) void add(int n)
  {
    for (volatile int i = 0; i < n; i++)
      if (i & 5)
        sum ^= i;
  }
  __attribute__((noinline)) void add(long n)
  {
    for (volatile long i = 0; i < n; i++)
      if (i & 3)
        sum += i;
  }
};
int main(int, char **argv)
{
  Counter c;
  for (long i = 0; i < 400; i++) {
    for (int k = 0; k < atoi(argv[1]); k++) {
      c.add(10000);
      c.add(10000L);
    }
    c.sum += library_work(100000);
  }
  return c.sum & 1;
}
END
g++ -g -O1 -fPIC -shared -Wl,--build-id,-soname,libwork.so -o libwork.so library.cpp
g++ -g -O1 -Wl,--build-id -o program program.cpp -L. -lwork -Wl,-rpath,'$ORIGIN'
"$softlbr" record -c 500us --timer-correction=off -o perf.data ./program 25 >log 2>&1 || fail "record"
"$softlbr" record -c 500us --timer-correction=off -o idle.data ./program 0 >log 2>&1 || fail "record, idle"
"$softlbr" record -c 500us --timer-correction=off -o less.data ./program 4 >log 2>&1 || fail "record, less of the program"
"$softlbr" record -c 500us --timer-correction=off -o shell.data -- sh -c 'for i in 1 2; do ./program 12; done; :' >log 2>&1 || fail "record, shell"

# convert DATA OPTION...: to fdata, which short recordings do for; the status in $status, messages in err
convert() {
  data=$1
  shift
  status=0
  rm -f out
  "$softlbr" convert --profile "$data" --to fdata=out "$@" >"$work/err" 2>&1 || status=$?
}

convert perf.data
grep -q "^read: .* in .*/built/program$" "$work/err" || fail "which binary was taken?"
grep -q ' _ZN7Counter3addE[il]' out || fail "not the program's profile"
convert shell.data
grep -q "^read: .* in .*/built/program$" "$work/err" || fail "the program of a shell's loop"
mkdir away
cd away
convert ../perf.data --binary libwork.so # which is no file here
grep -q "^read: .* in .*/built/libwork.so$" "$work/err" || fail "the library by its name"
grep -q ' _ZNK7library5table' out || fail "not the library's profile"
cd ..

# a program that leaves its work to a library
convert idle.data
[ $status = 4 ] && [ ! -e out ] || fail "an idle program: status $status"
grep -q 'are in the program, .*/program; .* are in .*/libwork.so: give --binary .*/libwork.so' "$work/err" ||
  fail "which module has the branches?"
convert idle.data --binary libwork
[ -s out ] || fail "the library of an idle program"
# and what it says when there is more in a library
"$softlbr" convert --profile idle.data --profile less.data --to preagg=both 2>"$work/err" || [ $? = 5 ] || fail "both"
grep -q '% of the branches are in .*/libwork.so: convert that with --binary libwork.so, or all modules with --all' \
  "$work/err" || fail "the larger module"

# names, in every view
"$softlbr" show perf.data >text || fail "show"
grep -q '^program  *.*/built/program$' text || fail "show: the program"
grep -qE ' Counter::add\((int|long)\) +program$' text || fail "show: no demangled name"
grep -qE ' library::table<.*\.\.\..* +libwork.so$' text || fail "show: no shortened name"
[ "$(sed -n '/^Functions/,$p' text | wc -L)" = 100 ] || fail "show: a table of another width than 100 columns"
"$softlbr" show --no-demangle perf.data | grep -qE ' _ZN7Counter3addE[il] +program$' || fail "show --no-demangle"
"$softlbr" show --json perf.data >json || fail "show --json"
python3 - <<'END' || fail "show --json"
import json, subprocess
rows = json.load(open("json"))["functions"]["rows"]
mangled = [r for r in rows if r["function"].startswith("_Z")]
assert len(mangled) >= 3 and any(r["module"] == "libwork.so" for r in mangled)
for r in rows:
    name = subprocess.run(["c++filt", r["function"]], capture_output=True, text=True).stdout.strip()
    assert r.get("function_demangled", r["function"]) == name, (r, name)
END
"$softlbr" show --function 'Counter::add(int)' perf.data >whole || fail "show --function, demangled"
"$softlbr" show --function _ZN7Counter3addEi perf.data | diff - whole || fail "show --function, either form"
mangled=$(grep -o '_ZNK7library5table[A-Za-z0-9_]*' json | head -1)
"$softlbr" show --function "$(c++filt -p "$mangled")" perf.data >text || fail "show --function, without arguments"
"$softlbr" show --function "$mangled" perf.data | diff - text || fail "show --function of the library's"
status=0
"$softlbr" show --function Counter::add perf.data >text 2>"$work/err" || status=$?
[ $status = 3 ] && grep -q '_ZN7Counter3addEi' "$work/err" && grep -q '_ZN7Counter3addEl' "$work/err" ||
  fail "show --function, two of a name: $status"
"$softlbr" diff --no-confidence --html=page.html --json --binary libwork.so perf.data idle.data >diff.json ||
  fail "diff of the library"
python3 - <<'END' || fail "diff --html, --json"
import html, json, re
page = html.unescape(open("page.html").read())
names = [f.get("name_demangled", "") for f in json.load(open("diff.json"))["functions"]]
[whole] = [name for name in names if name.startswith("library::table<")]
[(title, text)] = set(re.findall(r'<span class="name" title="(library::table<[^"]*)">(.*?)</span>', page))
assert title == whole and len(whole) > 60 and len(text) == 60 and "..." in text, (title, text)
END
"$softlbr" check perf.data | grep -q ' Counter::add(' || fail "check's names"

# moved, and another build in its place
cd "$work"
mkdir -p elsewhere "root/$work"
cp -r built "root/$work/built"
mv built/program built/libwork.so elsewhere
sed 's/i & 5/i \& 6/' built/program.cpp >changed.cpp
convert built/perf.data
[ $status = 1 ] && grep -q 'no such file; give the file that was recorded' "$work/err" || fail "gone: status $status"
convert built/perf.data --symfs root
[ -s out ] && grep -q "^read: .* in root/.*/built/program$" "$work/err" || fail "below --symfs"
g++ -g -O1 -Wl,--build-id -o built/program changed.cpp -Lelsewhere -lwork
convert built/perf.data
[ $status = 6 ] && [ ! -e out ] && grep -q 'is another build (build-id' "$work/err" || fail "rebuilt: status $status"
convert built/perf.data --symfs root
[ -s out ] && grep -q "^read: .* in root/.*/built/program$" "$work/err" || fail "rebuilt, below --symfs"
status=0
"$softlbr" show built/perf.data >text 2>"$work/err" || status=$?
[ $status = 6 ] && grep -q 'is another build (build-id' "$work/err" || fail "show, rebuilt: status $status"
[ "$(grep -c 'is another build (build-id' text)" = 1 ] || fail "show: the reason once"
"$softlbr" show --by branches built/perf.data | grep -q ' program+0x' || fail "show: no addresses of the rebuilt program"
echo "the recorded binaries are found, and no others"
