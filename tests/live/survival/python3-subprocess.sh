# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
. "$here/survival/python3.inc"
suite=test_subprocess
