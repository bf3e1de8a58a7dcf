# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="make gcc"

title() {
  make --version | sed -n '1s/GNU Make \([0-9.]*\)/make \1: -j4 of 24 objects by gcc -O1, and 200 short commands/p'
}

prepare() {
  for i in $(seq 24); do
    printf 'int f%d(int n)\n{\n\tint sum = 0;\n\tfor (int i = 0; i < n; i++)\n\t\tsum += i * %d;\n\treturn sum;\n}\n' $i $i \
      >"$input/f$i.c"
  done
  cat >"$input/Makefile" <<'END'
objects = $(foreach n,$(shell seq 24),f$(n).o)
numbers = $(foreach n,$(shell seq 200),n$(n))
all: lib.a $(numbers)
lib.a: $(objects)
	@ar rcD $@ $(objects)
%.o: %.c
	@gcc -O1 -c -o $@ $<
$(numbers):
	@echo $@ >$@
END
}

run() {
  cp "$input"/*.c "$input/Makefile" .
  "$@" make -s -j4 || return
  sha256sum lib.a
  cat n? n?? n??? | sort | sha256sum
}
