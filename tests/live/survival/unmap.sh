# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=unmap
what="memory unmapped in parts by 4 threads"
. "$here/survival/hazard.inc"
