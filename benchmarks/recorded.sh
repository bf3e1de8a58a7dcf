# SPDX-License-Identifier: MIT
# recorded.sh: a short recording of hardware or of softlbr, sourced by what makes long ones of it. $here is this folder,
# $build a build, and SOFTLBR_SHARED may name a folder that has hardware-lbr/gzip_westmere.
hardware=${SOFTLBR_SHARED:-}/data/hardware-lbr/gzip_westmere

# record: short.data, and its binary test.binary, by hardware if there is such a recording; prints by whom. Status 1:
# this machine can't
record() {
  if [ -d "$hardware" ]; then
    cp "$hardware/test.binary" .
    cp "$hardware/test.lbr" short.data
    echo "hardware's"
  else
    record_here
  fi
}

# The same by softlbr.
record_here() {
  # DWARF 4, which is all that Debian's autofdo can read
  gcc -O2 -g -gdwarf-4 "$here"/../examples/interpreter/*.c -o test.binary
  "$build/softlbr" record -e task-clock -c 200us --timer-correction=off -o short.data -- \
    ./test.binary "$here/../examples/interpreter/training.asm" 300 >log 2>&1 || return 1
  echo "softlbr's"
}

