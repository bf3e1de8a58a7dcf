# Look-ahead against the machine and against another decoder. Zydis is for these tests only.
find_library(ZYDIS_LIBRARY Zydis)
if(ZYDIS_LIBRARY AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_executable(live-lockstep live/lockstep.c)
  target_link_libraries(live-lockstep PRIVATE softlbr-isa ${ZYDIS_LIBRARY})
  set_target_properties(live-lockstep PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})

  add_executable(live-decoders live/decoders.c)
  target_link_libraries(live-decoders PRIVATE softlbr-isa ${ZYDIS_LIBRARY})
  set_target_properties(live-decoders PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set(libraries /usr/lib/x86_64-linux-gnu)
  function(softlbr_decoders name label)
    add_test(NAME ${name} COMMAND live-decoders ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 TIMEOUT 3600)
  endfunction()
  softlbr_decoders(live-decoders live ${libraries}/libc.so.6)
  softlbr_decoders(long-decoders long ${libraries}/libc.so.6 ${libraries}/libcrypto.so.3
    /usr/bin/python3.11 /usr/bin/perl ${libraries}/libstdc++.so.6 ${libraries}/libLLVM-14.so.1)

  # name label traces depth percent programs...
  function(softlbr_lockstep name label traces depth percent)
    add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/lockstep.sh
      $<TARGET_FILE:live-lockstep> ${traces} ${depth} ${percent} ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 TIMEOUT 3600)
  endfunction()
  set(programs bzip2 gzip zstd lua5.4 python3 perl sqlite3 clang)
  softlbr_lockstep(live-lockstep live 12 16 0 gzip lua5.4 python3 perl)
  softlbr_lockstep(long-lockstep-16 long 500 16 99 ${programs})
  softlbr_lockstep(long-lockstep-256 long 100 256 0 ${programs})
endif()

if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  # The opcode table against Capstone, objdump and llvm-objdump.
  add_executable(live-lengths live/lengths.c)
  target_link_libraries(live-lengths PRIVATE softlbr-isa PkgConfig::CAPSTONE)
  set_target_properties(live-lengths PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  function(softlbr_lengths name label)
    add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/live/lengths.sh $<TARGET_FILE:live-lengths> ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 TIMEOUT 7200)
  endfunction()
  softlbr_lengths(live-lengths live 10 8)
  softlbr_lengths(long-lengths long 200)

  softlbr_unit_test(evaluate softlbr-isa)
  # its trampoline is patched: code and data in one section
  include(CheckLinkerFlag)
  check_linker_flag(C -Wl,--no-warn-rwx-segments SOFTLBR_LINKER_WARNS_RWX)
  if(SOFTLBR_LINKER_WARNS_RWX)
    target_link_options(unit-evaluate PRIVATE -Wl,--no-warn-rwx-segments)
  endif()
  softlbr_unit_test(steps softlbr-isa)
  softlbr_unit_test(replay softlbr-isa)
endif()
