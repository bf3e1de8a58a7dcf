# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=kill-thread
what="a thread that is ended by its own filter"
. "$here/survival/hazard.inc"
