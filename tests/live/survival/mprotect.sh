# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=mprotect
what="memory read while its protection changes"
. "$here/survival/hazard.inc"
