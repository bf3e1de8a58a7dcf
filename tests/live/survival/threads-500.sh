# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=many
what="500 threads at once, twice"
. "$here/survival/hazard.inc"
