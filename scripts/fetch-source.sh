#!/bin/sh
# SPDX-License-Identifier: MIT
# fetch-source.sh PACKAGE DIRECTORY: unpack a Debian source package into DIRECTORY.
#
# Works where apt is configured for binary packages only: source lines are derived from the
# machine's own configuration into a temporary directory that apt is pointed to by options, so that
# nothing on the system changes and no root is needed. Status 75: the package can't be had (the
# reason is on stderr).
set -eu

[ $# -eq 2 ] || {
  echo "usage: fetch-source.sh PACKAGE DIRECTORY" >&2
  exit 2
}
package=$1
destination=$(realpath -m -- "$2") # before we go elsewhere

fail() {
  echo "fetch-source: $package: $*" >&2
  exit 75
}

command -v apt-get >/dev/null || fail "this system has no apt-get"
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-source.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The suites of this release. A Debian to come has its own name, and may be had by that of its suite.
suites=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}|stable")
case $(cat /etc/debian_version 2>/dev/null) in
  */sid) suites="$suites|testing|unstable|sid" ;;
esac

# Entries of this release only: other repositories on the machine need not offer sources.
derive_from_stanzas() {
  awk -v RS= -v suites="^($suites)(-|$)" '
    function of_release(list, i, n, word) {
      n = split(list, word, " ")
      for (i = 1; i <= n; i++)
        if (word[i] ~ suites)
          return 1
      return 0
    }
    {
      n = split($0, line, "\n"); text = ""; keep = 0
      for (i = 1; i <= n; i++) {
        if (line[i] ~ /^#/)
          continue
        if (line[i] ~ /^Types:/)
          line[i] = "Types: deb-src"
        if (line[i] ~ /^Architectures:/)
          continue
        if (line[i] ~ /^Enabled:[ ]*no/)
          next
        if (line[i] ~ /^Suites:/)
          keep = of_release(substr(line[i], 8))
        text = text line[i] "\n"
      }
      if (keep)
        print text
    }' "$@"
}

derive_from_lines() {
  awk -v suites="^($suites)(-|$)" '
    /^deb(-src)?[ \t]/ {
      options = ""
      if (match($0, /\[[^]]*\]/)) {
        options = substr($0, RSTART, RLENGTH) " "
        $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
        gsub(/arch=[^] ]*/, "", options)
      }
      if ($3 !~ suites)
        next
      $1 = "deb-src"
      rest = $0
      sub(/^deb-src /, "", rest)
      print "deb-src " options rest
    }' "$@"
}

mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial" "$work/tree"
for file in /etc/apt/sources.list.d/*.sources; do
  [ -e "$file" ] && derive_from_stanzas "$file" >>"$work/parts/derived.sources"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ -e "$file" ] && derive_from_lines "$file" | sort -u >>"$work/parts/derived.list"
done
cat "$work"/parts/* 2>/dev/null | grep -q deb-src || fail "apt has no source of this release ($suites)"

apt() {
  apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts" \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" \
    -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none \
    -o Acquire::http::Timeout=30 -o Acquire::Retries=2 "$@"
}

apt update >"$work/log" 2>&1 || fail "apt-get update: $(tail -n 1 "$work/log")"
cd "$work/tree"
# A mirror may lack the packaging part of a package and still have upstream's tarball, which is all
# that a build without Debian's patches needs; or lack the newest version and have an older one.
apt source --download-only "$package" >"$work/log" 2>&1 || true
tarball() {
  find . -name '*.orig.tar.*' ! -name '*.asc' | head -n 1
}
if [ -z "$(tarball)" ]; then
  for version in $(apt-cache -o Dir::Etc::sourcelist=/dev/null \
    -o Dir::Etc::sourceparts="$work/parts" -o Dir::State::lists="$work/lists" \
    -o Dir::Cache="$work/cache" showsrc "$package" 2>/dev/null |
    awk '$1 == "Version:" { print $2 }' | sort -ruV); do
    rm -rf ./*
    apt source --download-only "$package=$version" >"$work/log" 2>&1 || true
    [ -z "$(tarball)" ] || break
  done
fi
description=$(find . -name '*.dsc' | head -n 1)
tarball=$(tarball)
mkdir -p "$destination"
if [ -n "$description" ] && command -v dpkg-source >/dev/null &&
  dpkg-source --no-check -x "$description" unpacked >>"$work/log" 2>&1; then
  cp -a unpacked/. "$destination"
elif [ -n "$tarball" ]; then
  tar xf "$tarball" -C "$destination" --strip-components=1
else
  rmdir "$destination" 2>/dev/null || true
  fail "apt-get source: $(grep '^[EW]:' "$work/log" | tail -n 1)"
fi
