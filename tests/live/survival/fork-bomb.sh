# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=bomb
what="900 short processes, 20 at a time"
. "$here/survival/hazard.inc"
