# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=daemon
what="a daemon that forks twice"
. "$here/survival/hazard.inc"
