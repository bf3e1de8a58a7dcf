# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="xz"

title() {
  echo "$(xz --version | head -n 1): pack with 2 threads, test, unpack"
}

prepare() {
  find /usr/include "$root" -name '*.h' -type f -not -path '*/build*' | LC_ALL=C sort | head -n 800 |
    xargs cat | head -c 2500000 >"$input/file"
}

run() {
  cp "$input/file" .
  "$@" xz -k -T2 --block-size=1MiB -5 file || return
  sha256sum file.xz
  "$@" xz -t file.xz || return
  "$@" xz -dc file.xz | cmp - file && echo same
}
