#!/bin/sh
# SPDX-License-Identifier: MIT
# release.sh [--dry-run] VERSION: make a release of the tree that is checked out: version, packages, checks, tag.
#
#   release.sh --check      say which version the tree is of; status 1 where two places differ
#   release.sh VERSION      1. the tree has no changes, NEWS.md begins with VERSION, there is no tag vVERSION
#                           2. VERSION goes into CMakeLists.txt, the one place that has it, from there into
#                              debian/changelog, and today's date into the manual pages; they are committed
#                           3. scripts/package.sh makes tarball and packages, and scripts/test.sh runs all tests
#                           4. the commit gets the tag vVERSION; pushing both is left to you
#   release.sh --dry-run VERSION
#                           the same in a clone that goes again, with the tarball alone and without tests
set -eu
export LC_ALL=C.UTF-8 TZ=UTC
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

fail() {
  echo "release: $*" >&2
  exit 1
}

project_version() {
  sed -n 's/^project(softlbr VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt
}

news_version() {
  sed -n 's/^## \([0-9.]*\)$/\1/p' NEWS.md | head -n 1
}

# check: every place that repeats the version or a library's number has the one of CMakeLists.txt
check() {
  version=$(project_version)
  [ "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" = "$version" ] || fail "debian/changelog is not of $version"
  [ "$(news_version)" = "$version" ] || fail "NEWS.md begins with $(news_version), not with $version"
  date=$(date -d "$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)" +%F)
  for page in docs/man/*.1; do
    grep -q "^\.TH [A-Z_-]* 1 $date softlbr " "$page" || fail "$page is not of $date, as debian/changelog is"
  done
  profile=$(sed -n 's/^#define SOFTLBR_PROFILE_API \([0-9]*\).*/\1/p' include/softlbr/profile.h)
  collector=$(sed -n 's/^set(SOFTLBR_COLLECTOR_API \([0-9]*\))/\1/p' CMakeLists.txt)
  for file in libsoftlbr-profile.so.$profile libsoftlbr-collector.so.$collector; do
    grep -qF "| $file |" docs/compatibility.md || fail "docs/compatibility.md does not name $file"
  done
  [ -e "debian/libsoftlbr-profile$profile.install" ] && [ -e "debian/libsoftlbr-collector$collector.install" ] ||
    fail "debian/ has packages of other .so numbers than $profile and $collector"
}

# set_version VERSION: in CMakeLists.txt, and today's date where a date stands
set_version() {
  [ "$(project_version)" = "$1" ] || sed -i "s/^project(softlbr VERSION [0-9.]* /project(softlbr VERSION $1 /" CMakeLists.txt
  signature=$(sed -n 's/^ -- \(.*>\)  .*/\1/p' debian/changelog | head -n 1)
  entry="softlbr ($1) unstable; urgency=medium

  * NEWS.md says what is in it.

 -- $signature  $(date -R)
"
  if [ "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" = "$1" ]; then
    older=$(sed '1,/^ -- /d' debian/changelog)
  else
    older="
$(cat debian/changelog)"
  fi
  printf '%s%s\n' "$entry" "$older" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >debian/changelog.new
  mv debian/changelog.new debian/changelog
  sed -i "s/^\(\.TH [A-Z_-]* 1\) [0-9-]* softlbr /\1 $(date +%F) softlbr /" docs/man/*.1
}

is_dry=false
case ${1:-} in
  --check)
    check
    echo "softlbr $version"
    exit
    ;;
  --dry-run)
    is_dry=true
    shift
    ;;
esac
[ $# = 1 ] && echo "$1" | grep -Eqx '[0-9]+\.[0-9]+\.[0-9]+' || {
  echo "usage: release.sh --check | [--dry-run] VERSION" >&2
  exit 2
}
version=$1

[ -z "$(git status --porcelain)" ] || fail "the tree has changes: commit them first"
[ "$(news_version)" = "$version" ] || fail "NEWS.md begins with $(news_version): write what is new in $version"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || fail "there is a tag v$version"

if $is_dry; then
  clone=$(mktemp -d)
  trap 'rm -rf "$clone"' EXIT
  git clone -q --no-hardlinks "$root" "$clone/softlbr"
  cd "$clone/softlbr"
  git config user.name "release.sh"
  git config user.email "release@softlbr.example"
fi
set_version "$version"
check
git commit -q -a --allow-empty -m "release: $version"
if $is_dry; then
  scripts/package.sh --tarball "$clone/packages"
else
  scripts/package.sh packages
  scripts/test.sh
fi
git tag -a "v$version" -m "softlbr $version"
echo "release: tagged v$version$(if $is_dry; then echo " in a clone that goes now"; else
  echo "; packages/ has what to publish. Next: git push --follow-tags"; fi)"
