# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="convert"

title() {
  convert -version | sed -n '1s/Version: ImageMagick \([0-9.-]*\).*/ImageMagick \1: drawn, blurred, resized, quantized with OpenMP/p'
}

prepare() {
  :
}

run() {
  export MAGICK_THREAD_LIMIT=2
  "$@" convert -size 600x400 gradient:red-blue -swirl 120 -fill white -draw 'circle 300,200 360,240' a.ppm || return
  "$@" convert a.ppm -blur 0x5 -resize 50% -rotate 30 +dither -colors 32 b.ppm || return
  "$@" convert a.ppm b.ppm -append -depth 8 rgb:- | sha256sum
  "$@" identify -format '%w %h %k\n' b.ppm
}
