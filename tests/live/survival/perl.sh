# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="perl prove apt-get"

title() {
  perl -e 'printf "perl %vd: tests of 6 core modules under prove\n", $^V'
}

prepare() {
  "$root/scripts/fetch-source.sh" perl "$input/source"
}

run() {
  for module in dist/Data-Dumper dist/threads cpan/Digest-SHA cpan/Text-Balanced dist/Safe cpan/Time-Local; do
    cp -r "$input/source/$module" module
    echo "$module"
    (cd module && "$@" prove -Q t 2>&1) | sed 's/^Files=\([0-9]*\), Tests=\([0-9]*\).*/\1 files, \2 tests/'
    chmod -R u+w module
    rm -rf module
  done
}
