# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=clone3
what="8 threads by clone3 without libc"
. "$here/survival/hazard.inc"
