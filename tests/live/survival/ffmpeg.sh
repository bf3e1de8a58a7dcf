# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="ffmpeg"

title() {
  ffmpeg -version | sed -n '1s/ffmpeg version \([^ ]*\).*/ffmpeg \1: a generated film scaled, coded and decoded, 2 threads/p'
}

prepare() {
  :
}

run() {
  "$@" ffmpeg -nostdin -v error -threads 2 -filter_threads 1 -f lavfi -i testsrc=size=320x240:rate=25:duration=4 -f lavfi -i sine=440:duration=4 \
    -vf scale=200:150,hue=s=0.5 -c:v mpeg4 -q:v 3 -c:a flac -fflags +bitexact -flags:v +bitexact -flags:a +bitexact film.mkv || return
  "$@" ffmpeg -nostdin -v error -threads 2 -i film.mkv -f framemd5 - 2>/dev/null | sha256sum
  "$@" ffprobe -v error -show_entries format=nb_streams -of csv film.mkv
}
