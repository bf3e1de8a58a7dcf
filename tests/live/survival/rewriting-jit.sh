# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=jit
what="3000 functions written over each other"
. "$here/survival/hazard.inc"
