#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh DIRECTORY: scripts/package.sh makes packages, in DIRECTORY, that lintian finds nothing in; unpacked below a
# directory, without root, they pass their own tests (debian/tests). The tarball is of the tree and nothing else, and the
# same without git.
set -eu
mkdir -p "$1"
packages=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs dpkg-buildpackage dh lintian cmake man
cd "$work"
rm -f "$packages"/*

echo "# what building needs is among Build-Depends"
for package in $(sed -n '/^build="/,/"$/p' "$root/scripts/install-deps.sh" | grep -oE '[a-z0-9-]+-dev'); do
  [ $package = libzydis-dev ] || grep -q " $package[ ,]*" "$root/debian/control" || fail "debian/control lacks $package"
done

echo "# the packages"
DEB_BUILD_OPTIONS="nocheck noautodbgsym" "$root/scripts/package.sh" "$packages" >log 2>&1 || fail "$(tail -n 50 log)"
[ "$(cd "$packages" && ls *.deb | sed 's/_.*//' | sort | tr '\n' ' ')" = \
  "libsoftlbr-collector0 libsoftlbr-dev libsoftlbr-profile1 softlbr softlbr-autofdo " ] || fail "$(ls "$packages")"
TMPDIR=$work lintian --allow-root --fail-on error,warning "$packages"/*.deb >log 2>&1 || fail "$(cat log)"

# depends PACKAGE ON...: it depends on these
depends() {
  of=$(dpkg-deb -f "$packages/$1"_*.deb Depends)
  shift
  for on; do
    echo " $of," | grep -q " $on[ ,]" || fail "$on is not among: $of"
  done
}
depends softlbr libsoftlbr-collector0 libglpk40 libdw1
depends libsoftlbr-dev libsoftlbr-collector0 libsoftlbr-profile1
depends libsoftlbr-profile1 libdw1
! dpkg-deb -f "$packages"/libsoftlbr-profile1_*.deb Depends | grep -q glpk || fail "the library is linked with GLPK"
[ "$(dpkg-deb -f "$packages"/libsoftlbr-collector0_*.deb Depends | sed 's/ (.*//')" = libc6 ] ||
  fail "the collector needs more than libc"

echo "# the tarball, of a tree with git and of one without"
mkdir with without
tar -xf "$packages"/softlbr-*.tar.gz -C without --strip-components 1
cp -r without/. with
touch with/build.log without/compile_commands.json without/x.o
mkdir with/build without/build without/__pycache__
touch without/build/x with/build/x without/__pycache__/x
rm with/build.log
if command -v git >/dev/null; then
  git -C with init -q
  git -C with add .
fi
chmod -R g+w without
for tree in with without; do
  "$tree/scripts/package.sh" --tarball $tree.packages >log 2>&1 || fail "$(cat log)"
  cmp $tree.packages/softlbr-*.tar.gz "$packages"/softlbr-*.tar.gz || fail "another tarball $tree git"
done

echo "# unpacked, they pass their own tests"
mkdir root
for package in "$packages"/*.deb; do
  dpkg-deb -x "$package" root
done
export SOFTLBR_ROOT="$work/root"
for test in tour build autofdo; do
  mkdir -p $test
  status=0
  AUTOPKGTEST_TMP=$work/$test "$root/debian/tests/$test" >log 2>&1 || status=$?
  [ $status != 77 ] || skip_part "this machine cannot record (softlbr doctor)"
  [ $status = 0 ] || [ $status = 77 ] || fail "debian/tests/$test: status $status: $(cat log)"
done
share=$work/root/usr/share
for command in create_gcov create_llvm_prof profile_merger dump_gcov profile_diff sample_merger; do
  "$work/root/usr/bin/$command" --version | grep -q ^softlbr || fail "$command does not find softlbr"
  man -l "$share/man/man1/$command.1.gz" | grep -q "$command" || fail "man $command"
done
"$here/completion.sh" "$work/root/usr/bin/softlbr" "$share/bash-completion/completions/softlbr" \
  "$share/zsh/vendor-completions/_softlbr" "$share/fish/vendor_completions.d/softlbr.fish" || fail "completion"
