#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh [--tarball] [DIRECTORY]: build the Debian packages, and the tarball of the sources that they are built from,
# in DIRECTORY (by default packages/); with --tarball the latter alone. The same tree gives the same bytes, wherever and
# whenever it is built. DEB_BUILD_OPTIONS is dpkg-buildpackage's: nocheck leaves out the unit tests.
set -eu
export LC_ALL=C.UTF-8 TZ=UTC
umask 022
packages=true
[ "${1:-}" != --tarball ] || {
  packages=false
  shift
}
[ $# -le 1 ] || {
  echo "usage: package.sh [--tarball] [DIRECTORY]" >&2
  exit 2
}
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:-$root/packages}"
to=$(cd "${1:-$root/packages}" && pwd)
cd "$root"

# The version and the time of everything inside.
version=$(sed -n 's/^project(softlbr VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -d "$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)" +%s)}
export SOURCE_DATE_EPOCH
grep -q "^softlbr ($version) " debian/changelog || {
  echo "package: CMakeLists.txt says $version, debian/changelog another version" >&2
  exit 1
}

# sources: the tree's files but for what git ignores, which .gitignore lists too
sources() {
  if [ -e .git ] && command -v git >/dev/null; then
    git -c safe.directory='*' ls-files -co --exclude-standard | while read -r file; do
      [ ! -e "$file" ] || echo "$file"
    done
  else
    find . \( -name .git -o -path './build*' -o -path './_*' -o -path ./packages -o -name __pycache__ \) -prune -o \
      ! -type d ! -name '*.o' ! -name perf.data ! -name perf.data.old ! -name compile_commands.json -print |
      sed 's,^\./,,'
  fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tarball=softlbr-$version.tar.gz
sources | sort >"$work/sources"
[ -s "$work/sources" ] || {
  echo "package: there are no sources in $root, or git cannot list them" >&2
  exit 1
}
tar -c --format=gnu --no-recursion -T "$work/sources" --transform "s,^,softlbr-$version/,S" --mtime="@$SOURCE_DATE_EPOCH" \
  --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX | gzip -n9 >"$work/$tarball"

if $packages; then
  tar -xf "$work/$tarball" -C "$work"
  cd "$work/softlbr-$version"
  if ! missing=$(dpkg-checkbuilddeps 2>&1); then
    echo "package: installing what is missing: ${missing##*: }"
    [ "$(id -u)" = 0 ] && sudo= || sudo=sudo
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq build-dep -y ./ >"$work/apt.log" 2>&1 || {
      echo "package: that needs root: run apt-get build-dep ./ first: $(tail -n 1 "$work/apt.log")" >&2
      exit 3
    }
  fi
  dpkg-buildpackage -b -us -uc
fi
cd "$work"
for file in *.deb "$tarball"; do
  [ ! -e "$file" ] || {
    mv "$file" "$to"
    echo "made $to/$file"
  }
done
