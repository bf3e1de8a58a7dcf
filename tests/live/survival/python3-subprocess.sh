# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
. "$here/survival/python3.inc"
group=desktops
suite=test_subprocess
