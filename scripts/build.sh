#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh [CMAKE OPTION...]: build build/softlbr and the libraries; tests too with -DBUILD_TESTING=ON.
# SOFTLBR_BUILD_DIR names another directory than build, SOFTLBR_JOBS the parallel jobs.
set -eu
cd "$(dirname "$0")/.."
directory=${SOFTLBR_BUILD_DIR:-build}
jobs=${SOFTLBR_JOBS:-$(nproc)}

. scripts/alive.sh
scripts/install-deps.sh --build
[ -e "$directory/CMakeCache.txt" ] || set -- -DBUILD_TESTING=OFF "$@"
cmake --preset release -B "$directory" --log-level=WARNING "$@" >/dev/null
alive build cmake --build "$directory" -j "$jobs" -- --quiet
for product in softlbr libsoftlbr-collector.so; do
  [ -e "$directory/$product" ] || {
    echo "build: $directory/$product was not made" >&2
    exit 1
  }
done
echo "built $directory/softlbr and $directory/libsoftlbr-collector.so"
