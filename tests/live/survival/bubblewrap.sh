# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
needs="bwrap cc xz"
. "$here/survival/filter.inc"

title() {
  bwrap --version | sed 's/$/: a pipeline in namespaces and under a filter/'
}

prepare() {
  make_filter filter
}

run() {
  # before it, without a filter
  "$@" sh -c "$filtered_work"' && exec bwrap --ro-bind / / --dev /dev --proc /proc --unshare-pid --seccomp 9 \
    sh -c "$1"' sh "$filtered_work" 9<"$input/filter.bpf"
}
