# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=stop
what="stopped and continued ten times"
. "$here/survival/hazard.inc"
