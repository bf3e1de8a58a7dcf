# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="chromium setpriv"
. "$here/survival/page.inc"

title() {
  chromium --version | sed 's/Chromium \([0-9.]*\).*/Chromium \1: a page, its script and its picture, processes in its sandbox/'
}

# Its sandbox wants another user than root.
browse() {
  as=
  [ "$(id -u)" != 0 ] || as="setpriv --reuid=65534 --regid=65534 --clear-groups"
  $as env HOME="$PWD" XDG_RUNTIME_DIR="$PWD" "$@" --headless --disable-gpu --no-first-run --hide-scrollbars \
    --user-data-dir="$PWD/profile" --window-size=800,900 "file://$input/page.html"
}

prepare() {
  make_page
  chmod 777 .
  (browse chromium --dump-dom) >"$input/said" 2>&1 && grep -q 25281 "$input/said" || {
    tail -n 3 "$input/said"
    return 75
  }
}

run() {
  browse "$@" chromium --dump-dom 2>dom.err | sha256sum
  browse "$@" chromium --screenshot="$PWD/picture.png" >picture.err 2>&1
  status=$?
  sha256sum <picture.png
  grep -h ^softlbr dom.err picture.err >&2 || :
  return $status
}
