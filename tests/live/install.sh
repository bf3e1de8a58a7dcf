#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh BUILD_DIRECTORY: what `cmake --install` writes works where it was moved to: the program finds its
# collector, manual pages open, the README's tour runs, programs build against both libraries by pkg-config. `uninstall`
# leaves nothing.
set -eu
build=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs pkg-config readelf man
cd "$work"

echo "# staged below DESTDIR, and moved from there"
DESTDIR=$work/stage cmake --install "$build" --prefix /opt/softlbr >log || fail "$(cat log)"
[ "$(ls stage stage/opt)" = "$(printf 'stage:\nopt\n\nstage/opt:\nsoftlbr')" ] || fail "more than its prefix: $(ls stage)"
mv stage/opt/softlbr "moved here"
tree=$work/moved\ here
library=$(dirname "$(find "$tree" -name 'libsoftlbr-profile.so.1')")
! grep -rlF -e "$build" -e "$root" "$tree" --include='*.cmake' --include='*.pc' --include='*softlbr' \
  --exclude-dir=bin || fail "these name the place where they were built"

# named FILE SONAME: FILE is a link to a library that says so itself
named() {
  [ -L "$library/$1" ] || fail "$1 is no link"
  readelf -d "$library/$1" | grep -q "SONAME.*\[$2\]" || fail "$1 is not $2"
}
named libsoftlbr-profile.so libsoftlbr-profile.so.1
named libsoftlbr-collector.so libsoftlbr-collector.so.0
named libsoftlbr-collector.so.0 libsoftlbr-collector.so.0

echo "# the manual pages are found, one for each command"
softlbr=$tree/bin/softlbr
for command in $("$softlbr" --help | sed -n 's/^  \([a-z]*\) .*/softlbr-\1/p') softlbr; do
  man -M "$tree/share/man" "$command" >page 2>err || fail "man $command"
  grep -qi "$command" page || fail "man $command shows something else"
done

echo "# pkg-config: a program of both libraries"
export PKG_CONFIG_PATH="$library/pkgconfig"
cat >both.c <<'END'
#include <softlbr/collector.h>
#include <softlbr/profile.h>
#include <stdio.h>

int main(void)
{
	struct softlbr_collector_options options = {0}; /* no size: refused */
	struct softlbr_error error = {0};
	struct softlbr_branches *b = softlbr_branches_new("/proc/self/exe", NULL, &error);

	softlbr_branches_free(b);
	return b && softlbr_collector_start(&options, &error) == -SOFTLBR_E_USAGE ? 0 : 1;
}
END
eval "${CC:-cc} both.c -o both $(pkg-config --cflags --libs softlbr-collector softlbr-profile)"
LD_LIBRARY_PATH=$library ./both || fail "a program of both libraries"
LD_LIBRARY_PATH=$library ldd ./both | grep -q "libsoftlbr-collector.so.0 => $library/" || fail "$(ldd ./both)"

if "$softlbr" doctor >/dev/null 2>&1; then
  echo "# the program loads the collector that was installed with it"
  "$softlbr" record -- grep -m1 softlbr-collector /proc/self/maps >maps 2>err || fail "record"
  grep -qF "$library/libsoftlbr-collector.so.0" maps || fail "another collector: $(cat maps)"
  mv "$library/libsoftlbr-collector.so.0" "$library/away"
  status=0
  "$softlbr" record -- true >log 2>err || status=$?
  [ $status = 125 ] && grep -q 'cannot find libsoftlbr-collector.so.0 in ' err || fail "without a collector: $status"
  mv "$library/away" "$library/libsoftlbr-collector.so.0"

  echo "# the README's tour, with the README and the examples that were installed"
  "$here/readme.sh" "$tree/bin" "$tree/share/doc/softlbr" >log 2>&1 || fail "the tour: $(cat log)"
else
  skip_part "this machine cannot record (softlbr doctor)"
fi

echo "# installed in place, and uninstalled"
cmake --install "$build" --prefix "$work/prefix" >log
cmake --build "$build" --target uninstall >log 2>&1 || fail "$(cat log)"
[ -z "$(find prefix ! -type d)" ] || fail "uninstall leaves $(find prefix ! -type d)"
[ -z "$(find prefix -name '*softlbr*')" ] || fail "uninstall leaves $(find prefix -name '*softlbr*')"
