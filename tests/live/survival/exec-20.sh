# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=exec
what="replaced by itself 20 times, with a signal pending"
. "$here/survival/hazard.inc"
