# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
needs="cc xz setpriv"
. "${here:-$root/tests/live}/survival/filter.inc"

title() {
  echo "a launcher, as of services: a filter, then setpriv, then a pipeline"
}

prepare() {
  make_filter launch
}

run() {
  "$@" "$input/launch" setpriv --no-new-privs --bounding-set=-all sh -c "$filtered_work"
}
