#!/bin/sh
# SPDX-License-Identifier: MIT
# reproducible.sh: two trees of the same files make packages of the same bytes, in other directories, by another umask,
# home, language and number of processors, with git and without; the first of them passes the unit tests on its way.
set -eu
. "$(dirname "$0")/../prelude.sh"
needs dpkg-buildpackage dh git
cd "$work"
"$root/scripts/package.sh" --tarball sources >log
mkdir -p first "second tree/below" elsewhere
for tree in first "second tree/below"; do
  tar -xf sources/*.tar.gz -C "$tree" --strip-components 1
done
git -C first init -q
git -C first add .
first/scripts/package.sh one >log 2>&1 || fail "$(tail -n 50 log)"
(
  umask 077
  export HOME=/nonexistent LANG=de_DE.UTF-8 TZ=Asia/Tokyo TMPDIR=$work/elsewhere DEB_BUILD_OPTIONS="parallel=1 nocheck"
  "second tree/below/scripts/package.sh" two
) >log 2>&1 || fail "$(tail -n 50 log)"
[ "$(ls one | wc -l)" -ge 8 ] || fail "few files: $(ls one)"
for file in one/*; do
  cmp "$file" "two/${file#one/}" || fail "$file differs"
done
[ "$(ls one)" = "$(ls two)" ] || fail "one: $(ls one), two: $(ls two)"
