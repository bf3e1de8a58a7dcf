# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
needs="cc xz setpriv"
. "$here/survival/filter.inc"

title() {
  echo "a launcher, as of services: a filter, then setpriv, then a pipeline"
}

prepare() {
  make_filter launch
}

run() {
  # before it, without a filter
  "$@" sh -c "$filtered_work"' && exec "$0" setpriv --no-new-privs --bounding-set=-all sh -c "$1"' \
    "$input/launch" "$filtered_work"
}
