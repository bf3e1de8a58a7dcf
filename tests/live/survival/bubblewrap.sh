# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
needs="bwrap cc xz"
. "${here:-$root/tests/live}/survival/filter.inc"

title() {
  bwrap --version | sed 's/$/: a pipeline in namespaces and under a filter/'
}

prepare() {
  make_filter filter
}

run() {
  "$@" bwrap --ro-bind / / --dev /dev --proc /proc --unshare-pid --seccomp 9 sh -c "$filtered_work" 9<"$input/filter.bpf"
}
