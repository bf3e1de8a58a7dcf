# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=uring
what="6000 operations by io_uring"
. "$here/survival/hazard.inc"
