# Profile-guided builds of a project's own targets, with gcc or clang, in C or C++:
#
#   add_executable(app main.cc)
#   softlbr_use_profile(app app.profile)
#   softlbr_record(app COMMAND app training-input)
#
# `cmake --build . --target app-record` builds app, records it at its training, and writes app.profile; from then on
# `cmake --build .` builds app with that profile.

# softlbr_use_profile(TARGET FILE): build TARGET with debug information, and with the profile FILE as soon as, and
# whenever, it is there. To be called when TARGET has all its sources. FILE is relative to the source directory: a
# profile is worth committing.
#
# softlbr_use_profile(TARGET DIRECTORY COUNTERS): with gcc; the profile is a DIRECTORY of counters for -fprofile-use. The
# targets of a program, as static libraries, have the same one.
cmake_policy(SET CMP0116 NEW) # dependency files have whole paths
function(softlbr_use_profile target file)
  cmake_parse_arguments(PARSE_ARGV 2 arg COUNTERS "" "")
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  _softlbr_compiler(compiler version)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "softlbr_use_profile(${target} ${file} ${ARGN}): what is ${arg_UNPARSED_ARGUMENTS}?")
  elseif(arg_COUNTERS AND NOT compiler STREQUAL "GNU")
    message(FATAL_ERROR "softlbr_use_profile(${target} ${file} COUNTERS): counters are for gcc; omit COUNTERS")
  elseif(arg_COUNTERS)
    # in all builds: it is of what gcc counts (docs/gcc.md)
    set(debug -g -no-integrated-cpp)
    # gcc stops at a function that has changed since, and would for every edit of the sources
    set(use "\"-fprofile-use=${file}\" \"-fprofile-prefix-path=${CMAKE_BINARY_DIR}\" -Wno-error=coverage-mismatch")
    _softlbr_keep_keys(${target})
  elseif(compiler STREQUAL "GNU")
    set(debug -g)
    set(use "\"-fauto-profile=${file}\"")
    # Their vectorizer's dynamic cost model divides by zero on such profiles; gcc before 11 has no very-cheap one.
    if(version GREATER_EQUAL 11 AND version LESS 13)
      string(APPEND use " -fvect-cost-model=very-cheap")
    endif()
  else()
    set(debug -g -fdebug-info-for-profiling)
    set(use "\"-fprofile-sample-use=${file}\" -mllvm -sample-profile-use-profi")
  endif()
  set_target_properties(${target} PROPERTIES SOFTLBR_PROFILE ${file})

  # The flags are in a file of their own, which is written anew when the profile comes, changes or goes: that needs no
  # new configuration, and what was compiled depends on it. What it depends on is in a dependency file, since a profile
  # that is not there can't be named: its directory is.
  set(flags ${CMAKE_CURRENT_BINARY_DIR}/${target}.softlbr-flags)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${target}.softlbr-stamp)
  set(write ${CMAKE_COMMAND} -DPROFILE=${file} -DUSE=${use} -DFLAGS=${flags} -DSTAMP=${stamp}
    -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/softlbr-flags.cmake)
  execute_process(COMMAND ${write} COMMAND_ERROR_IS_FATAL ANY)
  add_custom_command(OUTPUT ${stamp} BYPRODUCTS ${flags} COMMAND ${write} DEPFILE ${stamp}.d VERBATIM
    COMMENT "Looking for ${target}'s profile")
  add_custom_target(${target}-profile DEPENDS ${stamp})
  add_dependencies(${target} ${target}-profile)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:${debug}>"
    "$<$<COMPILE_LANGUAGE:C,CXX>:@${flags}>")
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "\\$<")
  get_target_property(directory ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${directory})
    set_property(SOURCE ${source} TARGET_DIRECTORY ${target} APPEND PROPERTY OBJECT_DEPENDS ${flags})
  endforeach()
endfunction()

# softlbr_record(TARGET COMMAND PROGRAM [ARGUMENT...] [WORKING_DIRECTORY DIRECTORY] [RECORD_OPTIONS OPTION...]
#   [CONVERT_OPTIONS OPTION...] [ACCEPT_POOR]): the target TARGET-record, which runs the command under `softlbr record`
# and writes the profile that softlbr_use_profile named. PROGRAM may be a target. A profile that softlbr calls poor is
# not taken, unless with ACCEPT_POOR. What was recorded is kept beside the recording, since the next build replaces it.
function(softlbr_record target)
  cmake_parse_arguments(PARSE_ARGV 1 arg ACCEPT_POOR WORKING_DIRECTORY "COMMAND;RECORD_OPTIONS;CONVERT_OPTIONS")
  get_target_property(profile ${target} SOFTLBR_PROFILE)
  if(NOT profile)
    message(FATAL_ERROR "softlbr_record(${target}): call softlbr_use_profile(${target} FILE) first")
  elseif(NOT arg_COMMAND OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "softlbr_record(${target} ${ARGN}): give COMMAND and what to run")
  elseif(NOT SOFTLBR_PROGRAM)
    message(FATAL_ERROR "softlbr_record(${target}): there is no program softlbr; set SOFTLBR_PROGRAM to its path")
  endif()
  if(NOT arg_WORKING_DIRECTORY)
    set(arg_WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  list(POP_FRONT arg_COMMAND program)
  set(programs ${target})
  if(TARGET ${program})
    list(APPEND programs ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  _softlbr_compiler(compiler version)
  set(recording ${CMAKE_CURRENT_BINARY_DIR}/${target}.data)
  set(new ${CMAKE_CURRENT_BINARY_DIR}/${target}.softlbr-profile)
  set(copy copy ${new} ${profile})
  get_target_property(keys ${target} SOFTLBR_KEYS)
  if(keys)
    set(to --keys ${keys} --to gcda=)
    set(make_keys COMMAND ${SOFTLBR_PROGRAM} gcc-keys --output=${keys} --deferred)
    set(copy copy_directory ${new} ${profile})
  elseif(compiler STREQUAL "GNU")
    set(to --gcc=${version} --to gcov=)
  else()
    set(to --to llvm-text=)
  endif()
  set(accept 0)
  if(arg_ACCEPT_POOR)
    set(accept 5)
  endif()
  add_custom_target(${target}-record
    COMMAND ${SOFTLBR_PROGRAM} record --keep-binaries -o ${recording} ${arg_RECORD_OPTIONS} -- ${program} ${arg_COMMAND}
    ${make_keys}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${new}
    COMMAND sh -c "\"$@\" 2>\"$0\"; status=$?; sed \"/^next: /d\" \"$0\" >&2; rm -f \"$0\"; test $status = 0 || test $status = ${accept}"
      ${new}.said ${SOFTLBR_PROGRAM} convert --binary $<TARGET_FILE:${target}> --profile ${recording} ${arg_CONVERT_OPTIONS} ${to}${new}
    COMMAND ${CMAKE_COMMAND} -E ${copy}
    COMMAND ${CMAKE_COMMAND} -E echo "next: cmake --build ${CMAKE_BINARY_DIR}"
    WORKING_DIRECTORY ${arg_WORKING_DIRECTORY} USES_TERMINAL VERBATIM
    COMMENT "Recording ${target} for ${profile}")
  add_dependencies(${target}-record ${programs})
endfunction()

# Have compiles of TARGET's objects noted, for their keys to be made when it is trained; those of all targets are in one
# directory.
function(_softlbr_keep_keys target)
  set(keys ${CMAKE_BINARY_DIR}/softlbr-keys)
  set_target_properties(${target} PROPERTIES SOFTLBR_KEYS ${keys})
  if(NOT SOFTLBR_PROGRAM)
    return()
  endif()
  foreach(language C CXX)
    set(launcher ${SOFTLBR_PROGRAM} gcc-keys --output=${keys} --root=${CMAKE_BINARY_DIR} --compile --defer --)
    get_target_property(another ${target} ${language}_COMPILER_LAUNCHER)
    if(another)
      list(APPEND launcher ${another})
    endif()
    set_target_properties(${target} PROPERTIES ${language}_COMPILER_LAUNCHER "${launcher}")
  endforeach()
endfunction()

# The compiler of the project's C and C++, GNU or Clang, and its major version.
function(_softlbr_compiler compiler_variable version_variable)
  set(compilers)
  foreach(language C CXX)
    if(CMAKE_${language}_COMPILER_ID)
      string(REGEX MATCH "^[0-9]+" version ${CMAKE_${language}_COMPILER_VERSION})
      list(APPEND compilers ${CMAKE_${language}_COMPILER_ID},${version})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES compilers)
  if(NOT compilers MATCHES "^(GNU|Clang),([0-9]+)$")
    message(FATAL_ERROR "softlbr_use_profile: one gcc or one clang has to compile all of C and C++, not ${compilers}")
  endif()
  set(${compiler_variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
  set(${version_variable} ${CMAKE_MATCH_2} PARENT_SCOPE)
endfunction()
