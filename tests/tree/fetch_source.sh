#!/bin/sh
# SPDX-License-Identifier: MIT
# fetch_source.sh: scripts/fetch-source.sh unpacks into the directory that is named, also by a path
# from where it is called and with a space in it; without a package it leaves none. apt-get is a
# stand-in that has one tarball.
set -eu
. "$(dirname "$0")/../prelude.sh"
needs apt-get
cd "$work"

mkdir bin package-1
echo upstream >package-1/README
tar czf package.tar.gz package-1
cat >bin/apt-get <<END
#!/bin/sh
case "\$*" in
  *' source '*' package') cp '$work/package.tar.gz' package_1.orig.tar.gz ;;
  *' source '*) echo 'E: Unable to find a source package' >&2; exit 100 ;;
esac
END
chmod +x bin/apt-get
PATH=$work/bin:$PATH

mkdir 'a place'
cd 'a place'
for destination in relative 'with a space' ./deep/er ../up "$work/whole"; do
  "$root/scripts/fetch-source.sh" package "$destination" || fail "$destination: status $?"
  [ "$(cat "$destination/README")" = upstream ] || fail "$destination: $(ls "$destination")"
done
status=0
"$root/scripts/fetch-source.sh" no-package none 2>err || status=$?
[ $status = 75 ] && grep -q 'Unable to find' err || fail "no package: status $status: $(cat err)"
[ ! -e none ] || fail "no package, but a directory"
