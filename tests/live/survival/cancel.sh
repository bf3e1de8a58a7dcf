# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=cancel
what="400 threads canceled at once and at a point"
. "$here/survival/hazard.inc"
