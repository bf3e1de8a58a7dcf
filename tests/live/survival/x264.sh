# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="x264 python3"

title() {
  echo "$(x264 --version | head -n 1): encode 40 frames, 2 threads and 1"
}

prepare() {
  python3 - "$input/video.y4m" <<'END'
import sys
w, h = 320, 192
with open(sys.argv[1], "wb") as f:
    f.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420\n" % (w, h))
    for n in range(40):
        f.write(b"FRAME\n")
        f.write(bytes(((x * x // 50 + y * 3 + n * 5) ^ (y * n // 7)) & 255 for y in range(h) for x in range(w)))
        f.write(bytes((128 + x // 4 - n) & 255 for y in range(h) for x in range(w // 2)))
END
}

run() {
  for threads in 2 1; do
    "$@" x264 --quiet --no-progress --threads $threads --preset medium -o video.264 "$input/video.y4m" 2>said ||
      return
    grep -v '^encoded' said || :
    sha256sum video.264
  done
}
