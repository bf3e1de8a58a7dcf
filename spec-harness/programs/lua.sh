spec=extra match=extra
what="Lua 5.4.4: tables, strings, closures, coroutines, numbers"
debian=lua5.4

build() {
  mkdir "$BUILD/include"
  echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >"$BUILD/include/lua5.4-deb-multiarch.h"
  libraries=-lm
  cd "$sources/lua5.4/src"
  c_program . "-DLUA_USE_POSIX -I$BUILD/include" $(ls *.c | grep -v '^luac.c')
}

workload() {
  case $1 in train) times=10 seed=42 ;; short) times=2 seed=7 ;; ref) times=15 seed=11 ;; esac
  run "$programs/data/work.lua" $times $seed >out
}
