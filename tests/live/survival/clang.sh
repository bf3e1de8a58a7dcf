# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
. "$here/survival/gcc.sh"
group=desktops
for candidate in clang-16 clang-14 clang-19 clang; do
  compiler=$candidate
  ! command -v $candidate >/dev/null || break
done
compiler_cxx="$compiler --driver-mode=g++"
needs="$compiler g++"

title() {
  echo "$($compiler --version | sed -n '1s/.*version \([0-9.]*\).*/clang \1/p'): C at -O2 and C++ with debug information, linked and run"
}
