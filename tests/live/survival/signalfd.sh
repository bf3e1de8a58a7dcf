# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=signalfd
what="200 signals read from a descriptor, SIGTRAP among them"
. "$here/survival/hazard.inc"
