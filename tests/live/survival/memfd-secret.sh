# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
hazard=secret
what="branches on memory that the kernel does not read"
. "$here/survival/hazard.inc"
