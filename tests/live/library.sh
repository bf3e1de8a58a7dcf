#!/bin/sh
# SPDX-License-Identifier: MIT
# library.sh SOFTLBR BUILD_DIRECTORY: the conversion library shows what its header declares and no more,
# needs libdw and neither GLPK, libiberty nor jansson, its header is C99 and C++, and the example program
# makes the same files as the command.
set -eu
softlbr=$1
build=$2
. "$(dirname "$0")/../prelude.sh"
cd "$root"
library=$build/libsoftlbr-profile.so

tr '\n' ' ' <include/softlbr/profile.h | grep -oE 'SOFTLBR_EXPORT [^;]*\(' |
  grep -oE 'softlbr_[a-z_]+\(' | tr -d '(' | sort -u >"$work/declared"
nm -D --defined-only "$library" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' | sort >"$work/exported"
diff "$work/declared" "$work/exported" || fail "what is declared (<) and exported (>) differ"
[ "$(wc -l <"$work/exported")" -gt 15 ] || fail "few calls are exported"
readelf -d "$library" | grep -q 'SONAME.*libsoftlbr-profile.so.1' || fail "no version in its name"
readelf -d "$library" | grep NEEDED | grep -E 'glpk|jansson' && fail "it needs too much"
nm "$library" | grep -E 'cplus_demangle|rust_demangle' && fail "libiberty is in it"
readelf -d "$library" | grep NEEDED | grep -q 'libdw\.so\.1' || fail "libdw doesn't read its debug information"

for language in "c99 -x c" "c++11 -x c++"; do
  printf '#include <softlbr/profile.h>\n' |
    ${CC:-gcc} -std=$language -Wall -Wextra -Werror -pedantic -Iinclude -fsyntax-only - ||
    fail "its header is no -std=$language"
done
${CC:-gcc} -std=c99 -Wall -Wextra -Werror -pedantic -Iinclude -o "$work/summary" \
  examples/profile/summary.c -L"$build" -lsoftlbr-profile -Wl,-rpath,"$build"

cd "$work"
${CC:-gcc} -O1 -g -fno-if-conversion -o loop "$root/tests/cases/loop.c"
python3 "$root/tests/cases/recording.py" loop loop.data
./summary loop loop.data >out || fail "the example's status is $?"
cat out
grep -q 'work (most at work+' out || fail "the hottest function is work"
"$softlbr" convert --binary loop --profile loop.data --smooth=none --to gcov=gcov \
  --to fdata=fdata 2>log || fail "$(cat log)"
cmp gcov program.gcov && cmp fdata program.fdata || fail "the files differ from the command's"
head -c 10001 loop.data >cut
status=0
./summary loop cut 2>err || status=$?
[ $status = 3 ] && grep -q 'cut is cut off' err || fail "a cut recording: status $status, $(cat err)"
