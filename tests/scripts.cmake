# Tests that are shell scripts: softlbr_script_test(ROOM NAME ARGUMENT...) runs ROOM/NAME.sh.
function(softlbr_script_test room name)
  add_test(NAME ${room}-${name} COMMAND ${room}/${name}.sh ${ARGN}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${room}-${name} PROPERTIES LABELS ${room} SKIP_RETURN_CODE 77)
endfunction()

# The tree and its programs need no second look under sanitizers.
if(NOT SOFTLBR_SANITIZE)
  softlbr_script_test(tree format)
  softlbr_script_test(tree rooms)
  softlbr_script_test(tree tidy ${PROJECT_BINARY_DIR} quick)
  add_test(NAME tree-analyzer COMMAND tree/tidy.sh ${PROJECT_BINARY_DIR} analyzer
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(tree-analyzer PROPERTIES LABELS "tree;long" SKIP_RETURN_CODE 77
    TIMEOUT 1200)
  softlbr_script_test(tree manuals $<TARGET_FILE:softlbr>)
  softlbr_script_test(live example)
  softlbr_script_test(live llvm-binary $<TARGET_FILE:softlbr>)
  softlbr_script_test(live readme ${PROJECT_BINARY_DIR})
  softlbr_script_test(live demo $<TARGET_FILE:softlbr> --embedded)
  set_tests_properties(live-demo PROPERTIES TIMEOUT 600
    ENVIRONMENT "DEMO_TRAIN_SCALE=400;DEMO_RECORD_OPTIONS=-c 300us")
  add_test(NAME live-demo-sqlite COMMAND live/demo.sh $<TARGET_FILE:softlbr>
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(live-demo-sqlite PROPERTIES LABELS "live;long" SKIP_RETURN_CODE 77
    TIMEOUT 3600)
  softlbr_script_test(live harness $<TARGET_FILE:softlbr>)
  softlbr_script_test(live record $<TARGET_FILE:softlbr>)
  softlbr_script_test(live stats $<TARGET_FILE:softlbr>)
  softlbr_script_test(live attach $<TARGET_FILE:softlbr>)
  softlbr_script_test(live switch $<TARGET_FILE:softlbr>)
  softlbr_script_test(live signals $<TARGET_FILE:softlbr>)
  softlbr_script_test(live setsig $<TARGET_FILE:softlbr>)
  softlbr_script_test(live descriptors $<TARGET_FILE:softlbr>)
  softlbr_script_test(live stacks $<TARGET_FILE:softlbr>)
  softlbr_script_test(live aggregate $<TARGET_FILE:softlbr>)
  softlbr_script_test(live many $<TARGET_FILE:softlbr>)
  softlbr_script_test(live restartable $<TARGET_FILE:softlbr>)
  softlbr_script_test(live servers $<TARGET_FILE:softlbr>)
  set_tests_properties(live-servers PROPERTIES LABELS "live;long" TIMEOUT 600)
  add_test(NAME live-survival COMMAND live/survival.sh --install $<TARGET_FILE:softlbr>
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(live-survival PROPERTIES LABELS "live;long" SKIP_RETURN_CODE 77 TIMEOUT 14400)
  add_test(NAME live-survival-short
    COMMAND live/survival.sh --runs 2 $<TARGET_FILE:softlbr> sqlite3 xz git openssl
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(live-survival-short PROPERTIES LABELS live SKIP_RETURN_CODE 77)
  softlbr_script_test(live gain $<TARGET_FILE:softlbr>)
  set_tests_properties(live-gain PROPERTIES LABELS "live;long" TIMEOUT 3600)
  softlbr_script_test(live bolt-programs $<TARGET_FILE:softlbr>)
  set_tests_properties(live-bolt-programs PROPERTIES LABELS "live;long" TIMEOUT 1800)
  softlbr_script_test(tree exports ${PROJECT_BINARY_DIR})
  add_executable(live-linked live/linked.c)
  target_link_libraries(live-linked PRIVATE softlbr-collector)
  set_target_properties(live-linked PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  softlbr_script_test(live linked $<TARGET_FILE:softlbr> $<TARGET_FILE:live-linked>)
  softlbr_script_test(live exact $<TARGET_FILE:softlbr>)
  softlbr_script_test(live smooth $<TARGET_FILE:softlbr>)
  softlbr_script_test(live library $<TARGET_FILE:softlbr> ${PROJECT_BINARY_DIR})
  softlbr_script_test(live ci $<TARGET_FILE:softlbr>)
  softlbr_script_test(quality bursts $<TARGET_FILE:softlbr>)
  softlbr_script_test(live peers $<TARGET_FILE:softlbr>)
  softlbr_script_test(live accuracy $<TARGET_FILE:softlbr>)
  foreach(program sqlite lua python3 bzip2)
    add_test(NAME long-accuracy-${program} COMMAND live/accuracy.sh $<TARGET_FILE:softlbr> ${program}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(long-accuracy-${program} PROPERTIES LABELS "live;long"
      SKIP_RETURN_CODE 77 TIMEOUT 3600)
  endforeach()
endif()
softlbr_script_test(live confidence $<TARGET_FILE:softlbr>)
softlbr_script_test(live overlap $<TARGET_FILE:softlbr>)
softlbr_script_test(live bench $<TARGET_FILE:softlbr>)
softlbr_script_test(live hardware $<TARGET_FILE:softlbr>)
softlbr_script_test(live profgen $<TARGET_FILE:softlbr>)
softlbr_script_test(live doctor $<TARGET_FILE:softlbr>)
