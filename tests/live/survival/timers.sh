# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=timers
what="4 timers of 250 and 300 us, real and of CPU time"
. "$here/survival/hazard.inc"
