# Look-ahead against the machine and against another decoder. Zydis is for these tests only.
find_library(ZYDIS_LIBRARY Zydis)
if(ZYDIS_LIBRARY AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_executable(live-lockstep live/lockstep.c)
  target_link_libraries(live-lockstep PRIVATE softlbr-isa ${ZYDIS_LIBRARY})
  set_target_properties(live-lockstep PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endif()
