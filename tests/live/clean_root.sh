#!/bin/sh
# SPDX-License-Identifier: MIT
# clean_root.sh DIRECTORY [TEST...]: a Debian with nothing but the packages in DIRECTORY and what they and the tests depend
# on passes the packages' own tests, of which `tour` needs the smaller root.
set -eu
packages=$(realpath "$1")
shift
. "$(dirname "$0")/../prelude.sh"
needs mmdebstrap
. /etc/os-release
[ "$ID" = debian ] || skip "the packages are for Debian, and this is $ID"
[ -e "$packages" ] || skip "there are no packages in $packages"

# wanted TEST: what debian/tests/control has it depend on, but for our packages
wanted() {
  awk -v test="$1" '$1 == "Tests:" { on = $2 == test } on && $1 == "Depends:"' "$root/debian/tests/control" |
    sed 's/^Depends: //' | tr ',' '\n' | tr -d ' ' | grep -v softlbr
}

cat >"$work/inside" <<'END'
set -eu
apt-get install -y -qq --no-install-recommends /packages/*.deb >/packages/log 2>&1 || {
  cat /packages/log
  exit 1
}
for test; do
  mkdir "/packages/$test.work"
  status=0
  AUTOPKGTEST_TMP=/packages/$test.work "/packages/$test" >/packages/log 2>&1 || status=$?
  [ $status != 77 ] || echo "PARTLY SKIPPED: this machine cannot record (softlbr doctor)"
  [ $status = 0 ] || [ $status = 77 ] || {
    echo "FAIL: debian/tests/$test: status $status: $(cat /packages/log)"
    exit 1
  }
  echo "debian/tests/$test: status $status"
done
END

include=$(for test; do wanted "$test"; done | sort -u | paste -sd,)
mkdir "$work/packages"
cp "$packages"/*.deb "$root"/debian/tests/[a-z]* "$work/inside" "$work/packages"
export packages=$work/packages tests="$*" # for the hook, whose words mmdebstrap would split at spaces
status=0
mmdebstrap --format=null --variant=apt --include="$include" --dpkgopt=force-unsafe-io \
  --customize-hook='cp -r "$packages" "$1/packages" && touch "$packages/made" &&
    chroot "$1" sh /packages/inside $tests >"$packages/report"' "$VERSION_CODENAME" - >"$work/log" 2>&1 || status=$?
[ -e "$work/packages/made" ] || skip "no clean root can be made here: $(grep -E '^E:' "$work/log" | tail -n 1)"
cat "$work/packages/report"
[ $status = 0 ] || fail "in the clean root: $(tail -n 20 "$work/log")"
for test; do
  grep -q "^debian/tests/$test: " "$work/packages/report" || fail "debian/tests/$test did not run"
done
