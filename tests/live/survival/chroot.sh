# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=chroot
what="a child in an empty root directory"
. "$here/survival/hazard.inc"
