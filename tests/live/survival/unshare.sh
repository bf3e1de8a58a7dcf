# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=unshare
what="a child in namespaces of its own"
. "$here/survival/hazard.inc"
