# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=hugepages
what="branches on memory of large pages"
. "$here/survival/hazard.inc"
