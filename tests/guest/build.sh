#!/bin/bash
# SPDX-License-Identifier: MIT
# build.sh DIRECTORY [TARGET...]: build softlbr for AArch64 in DIRECTORY (all of it, or these targets of CMake's). Status
# 77, with a reason, where the cross compiler cannot be had (packages.sh).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
directory=$1
shift
guest=$("$here/packages.sh")
mkdir -p "$directory"
exec 9>"$directory/lock"
flock 9
cmake -G Ninja -S "$here/../.." -B "$directory" --log-level=WARNING -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -DSOFTLBR_GUEST="$guest" -DSOFTLBR_WERROR=ON -DBUILD_TESTING=ON >/dev/null
cmake --build "$directory" -j "${SOFTLBR_JOBS:-$(nproc)}" ${1+--target "$@"} -- --quiet
