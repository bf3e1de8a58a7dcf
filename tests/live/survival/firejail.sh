# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
needs="firejail cc xz"
. "$here/survival/filter.inc"

title() {
  firejail --version | sed -n 's/firejail version \([0-9.]*\).*/firejail \1: a pipeline in namespaces and under its filter/p'
}

prepare() {
  # a setuid program is not recorded for others
  [ "$(id -u)" = 0 ] || {
    echo "needs root"
    return 75
  }
  firejail --quiet --noprofile --seccomp --private-dev true >"$input/said" 2>&1 || {
    tr '\n' ' ' <"$input/said"
    return 75
  }
}

run() {
  "$@" firejail --quiet --noprofile --seccomp --private-dev sh -c "$filtered_work"
}
