# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="firefox-esr"
. "$here/survival/page.inc"

title() {
  firefox-esr --version | sed 's/Mozilla Firefox/Firefox/; s/$/: a screenshot of a page, content processes in its sandbox/'
}

prepare() {
  make_page
}

run() {
  export HOME="$PWD/home" MOZ_CRASHREPORTER_DISABLE=1 MOZ_DISABLE_AUTO_SAFE_MODE=1
  mkdir -p home profile
  "$@" firefox-esr --headless --no-remote --profile "$PWD/profile" --window-size=800,900 \
    --screenshot "$PWD/picture.png" "file://$input/page.html" >said.out 2>said.err
  status=$?
  sha256sum <picture.png
  grep ^softlbr said.err >&2 || :
  return $status
}
