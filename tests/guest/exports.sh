#!/bin/bash
# SPDX-License-Identifier: MIT
# exports.sh BUILD_DIRECTORY: what tree/exports.sh asks of the collector (its names, its needs, what its handlers reach),
# of the one built for AArch64 there.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
needs cmake ninja
guest=$("$here/packages.sh")
"$here/build.sh" "$1" softlbr-collector >"$work/err" 2>&1 || fail "the build for AArch64"
"$root/tests/tree/exports.sh" "$1" "$guest/bin/aarch64-linux-gnu-"
