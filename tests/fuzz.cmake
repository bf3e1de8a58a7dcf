# Fuzz targets: fuzz/NAME.c with LLVMFuzzerTestOneInput and the corpus fuzz/corpus/NAME. Each is linked
# with a main that replays its corpus, as a test; with clang and SOFTLBR_FUZZ=ON also with libFuzzer:
#   cmake --preset fuzz && cmake --build build-fuzz
#   build-fuzz/tests/fuzz-NAME -max_total_time=600 corpus-to-grow tests/fuzz/corpus/NAME
function(softlbr_fuzz_target name)
  add_executable(replay-${name} fuzz/${name}.c fuzz/replay.c)
  target_link_libraries(replay-${name} PRIVATE ${ARGN})
  set_target_properties(replay-${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  add_test(NAME fuzz-${name}
    COMMAND replay-${name} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
  set_tests_properties(fuzz-${name} PROPERTIES LABELS fuzz)
  if(SOFTLBR_FUZZ)
    add_executable(fuzz-${name} fuzz/${name}.c)
    target_link_libraries(fuzz-${name} PRIVATE ${ARGN} -fsanitize=fuzzer)
    set_target_properties(fuzz-${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
endfunction()

softlbr_fuzz_target(perfdata softlbr-converter)
softlbr_fuzz_target(preagg softlbr-formats)
softlbr_fuzz_target(fdata softlbr-formats)
softlbr_fuzz_target(bb_addr_map softlbr-formats)
softlbr_fuzz_target(perf_map softlbr-formats)
softlbr_fuzz_target(gcov softlbr-formats)
softlbr_fuzz_target(gcda softlbr-formats)
softlbr_fuzz_target(gcno softlbr-formats)
softlbr_fuzz_target(gcc_dump softlbr-formats)
softlbr_fuzz_target(elf softlbr-converter)
softlbr_fuzz_target(unwinder softlbr-converter)
softlbr_fuzz_target(llvm_profile softlbr-formats)
softlbr_fuzz_target(unified_diff softlbr-formats)
softlbr_fuzz_target(c_functions softlbr-converter)
softlbr_fuzz_target(callgrind softlbr-formats)
softlbr_fuzz_target(ranges_text softlbr-formats)
softlbr_fuzz_target(perfscript softlbr-formats)
softlbr_fuzz_target(program_file softlbr-recorder)
softlbr_fuzz_target(session softlbr-recorder)
