#!/bin/bash
# SPDX-License-Identifier: MIT
# counters.sh BUILD_DIRECTORY [KIND...]: how long `convert --to gcda` takes where there is much to do, and how much
# memory. The programs are generated (counters_program.py), the recordings are of random walks through them (walk.c);
# many objects are one that was compiled once, under other names, and every tenth of them is linked. KINDs:
#
# many    2,000 objects of 60 functions
# large   one function of 20,000 statements and jumps
# line    the same on one line
# header  500 inline functions in each of 500 objects
#
# Each may take 60 s of CPU time and 1 GiB. GCC in the environment is the compiler.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- many large line header
gcc=${GCC:-gcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target walk >/dev/null

# program KIND NUMBER OBJECTS TRACES: program, keys, recording
program() {
  # some of gcc's passes take minutes for so large a function
  case $1 in large | line) flags="-O1 -fno-var-tracking -fno-tree-dominator-opts" ;; *) flags=-O2 ;; esac
  python3 "$here/counters_program.py" "$1" "$2" >q0000.c
  "$build/softlbr" gcc-keys -o keys --recordable --compile -- "$gcc" $flags -S q0000.c -o q0000.s
  as -o q0000.o q0000.s
  for ((i = 1; i < $3; i++)); do
    to=$(printf q%04d $i)
    for suffix in gcno profile; do
      LC_ALL=C sed "s/q0000/$to/g" keys/q0000.$suffix >"keys/$to.$suffix"
    done
    [ $((i % 10)) != 0 ] || sed "s/q0000/$to/g" q0000.s | as -o $to.o -
  done
  echo "int data[1024], other[1024]; int main(void) { return 0; }" >main.c
  "$gcc" main.c q*.o -Wl,--unresolved-symbols=ignore-all -o program
  "$build/benchmarks/walk" program recording "$4" 16 >walk.log
}

status=0
for kind; do
  mkdir "$work/$kind"
  cd "$work/$kind"
  case $kind in
  many) program many 50 2000 200000 ;;
  large) program large 20000 1 200000 ;;
  line) program line 20000 1 200000 ;;
  header) program header 500 500 500000 ;;
  esac
  /usr/bin/time -o time -f '%U %S %M' "$build/softlbr" convert --binary program --profile recording --keys keys \
    --to gcda=out --force 2>log || true
  [ -d out ] || { # walks by chance make no good profile: the status says so
    cat log
    exit 1
  }
  awk -v kind="$kind" -v objects="$(find out -name '*.gcda' | wc -l)" '
    /keys:/ { functions = $4 }
    END {
      seconds = $1 + $2
      printf "%s: %d objects, %d functions: %.1f s, %.0f MiB\n", kind, objects, functions, seconds, $3 / 1024
      exit seconds > 60 || $3 > 1048576
    }' log time || status=1
  cd "$work"
  rm -rf "$kind"
done
[ $status = 0 ] || echo "more than 60 s or 1 GiB"
exit $status
