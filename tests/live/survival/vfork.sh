# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=vfork
what="60 children by vfork, half of them replaced"
. "$here/survival/hazard.inc"
