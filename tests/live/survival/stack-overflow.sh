# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=overflow
what="60 stack overflows caught on an alternate stack"
. "$here/survival/hazard.inc"
