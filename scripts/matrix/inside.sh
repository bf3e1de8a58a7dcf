#!/bin/sh
# SPDX-License-Identifier: MIT
# inside.sh ROOT COMMAND...: run a command in a root of another release, with mounts and a /dev of its own that end with
# it. MATRIX_SHARED is a folder that is /src/shared there.
set -eu
# shellcheck disable=SC2016 # the inner shell's
exec unshare --mount --propagation private sh -euc '
  root=$1
  shift
  mount --bind "$root" "$root" # its own file system, to those who ask
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mkdir -p "$root/dev/shm" "$root/dev/pts"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  if [ "${MATRIX_SHARED:-}" ]; then
    mkdir -p "$root/src/shared"
    mount --bind "$MATRIX_SHARED" "$root/src/shared"
  fi
  exec chroot "$root" env -i HOME=/root TERM=dumb LANG=C.UTF-8 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
' sh "$@"
