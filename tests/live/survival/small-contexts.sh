# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=contexts
what="16 coroutines on stacks of 4 KB"
. "$here/survival/hazard.inc"
