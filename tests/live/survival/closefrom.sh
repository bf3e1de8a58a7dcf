# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=descriptors
what="all descriptors closed or taken, 60 times"
. "$here/survival/hazard.inc"
