# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=segments
what="bases of fs and gs changed 400 times"
. "$here/survival/hazard.inc"
