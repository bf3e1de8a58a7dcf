#!/bin/bash
# SPDX-License-Identifier: MIT
# debian.sh: the Debian packages for arm64, cross-built in a Debian that has nothing else (mmdebstrap), installed by dpkg
# in the guest and run there: records a program from inside and from outside, and converts that. Removed, nothing stays.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
needs mmdebstrap dpkg-deb git
cd "$work"
mkdir packages tree
(cd "$root" && git -c safe.directory='*' ls-files -co --exclude-standard -z | tar c --null -T -) | tar x -C tree
cat >inside <<'END'
set -eux
cd /tree
export DEB_BUILD_OPTIONS="nocheck noautodbgsym" DEB_BUILD_PROFILES="cross nocheck"
apt-get build-dep -y -qq --no-install-recommends -aarm64 -Pcross,nocheck ./
dpkg-buildpackage -aarm64 -b -us -uc
END
export work # for the hooks, whose words mmdebstrap would split at spaces
status=0
mmdebstrap --format=null --variant=apt --architectures=amd64,arm64 --dpkgopt=force-unsafe-io \
  --include=build-essential,crossbuild-essential-arm64,qemu-user \
  --customize-hook='cp -r "$work/tree" "$work/inside" "$1" && touch "$work/made" &&
    chroot "$1" sh /inside >"$work/err" 2>&1 && cp "$1"/*.deb "$work/packages"' bookworm - >log 2>&1 || status=$?
[ -e made ] || skip "no root to build in can be made here: $(grep -E '^E:' log | tail -n 1)"
tail -n 20 err >short && mv short err
[ $status = 0 ] || fail "the packages for arm64"
: >err
for package in packages/*.deb; do
  [ "$(dpkg-deb -f "$package" Architecture)" = arm64 ] || fail "$package is not arm64's"
done

cat >script <<'END'
set -e
packages=$(for package in packages/*.deb; do dpkg-deb -f "$package" Package; done)
dpkg -i packages/*.deb
dpkg --audit $packages
softlbr --version
softlbr doctor
expected=$(gzip -9c numbers | cksum)
for options in "" --ptrace; do
  [ "$(softlbr record -q -c 1ms --timer-correction=off -e task-clock $options -o recorded.data -- gzip -9c numbers | cksum)" = "$expected" ]
  softlbr convert -p recorded.data -b /usr/bin/gzip -t preagg=recorded.preagg
  echo "${options:-by the library}: $(grep -c ^B recorded.preagg) branches of gzip"
done
dpkg -V $packages
for package in $packages; do
  dpkg -L "$package"
done | sort -u >files
dpkg -P $packages
left=$(while read -r file; do
  [ -d "$file" ] || [ ! -e "$file" ] || echo "$file"
done <files)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
END
seq 1 30000 >numbers
"$here/run.sh" --icount --limit=400 neoverse-n1 script packages numbers || fail "the packages in the guest"
