# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=setuid
what="a child that becomes another user"
. "$here/survival/hazard.inc"
