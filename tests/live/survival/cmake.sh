# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="cmake make gcc"

title() {
  cmake --version | sed -n '1s/cmake version \([0-9.]*\)/cmake \1: configure, build by make, install, ctest/p'
}

prepare() {
  cat >"$input/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(work C)
enable_testing()
foreach(n RANGE 1 6)
  file(WRITE ${CMAKE_BINARY_DIR}/f${n}.c "#include <stdio.h>\nint main(void) { puts(\"program ${n}\"); return 0; }\n")
  add_executable(p${n} ${CMAKE_BINARY_DIR}/f${n}.c)
  add_test(NAME t${n} COMMAND p${n})
  install(TARGETS p${n} DESTINATION bin)
endforeach()
include(CheckFunctionExists)
check_function_exists(memcpy HAS_MEMCPY)
message(STATUS "memcpy: ${HAS_MEMCPY}")
END
}

run() {
  "$@" cmake -S "$input" -B build -DCMAKE_INSTALL_PREFIX="$PWD/there" | grep memcpy:
  "$@" cmake --build build -- -s | grep -c Built
  "$@" cmake --install build >/dev/null
  (cd build && "$@" ctest | sed -n 's/\(.*tests failed out of.*\)/\1/p')
  for n in 1 6; do there/bin/p$n; done
}
