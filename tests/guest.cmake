# AArch64, on Debian's kernel under QEMU (tests/guest): softlbr_guest_test(NAME SCRIPT ARGUMENT...)
function(softlbr_guest_test name script)
  add_test(NAME guest-${name} COMMAND guest/${script}.sh ${ARGN} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(guest-${name} PROPERTIES LABELS guest SKIP_RETURN_CODE 77 TIMEOUT 900 FIXTURES_REQUIRED guest)
endfunction()

# by itself first, as its packages take a minute to fetch and unpack
add_test(NAME guest-packages COMMAND guest/packages.sh WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
set_tests_properties(guest-packages PROPERTIES LABELS guest SKIP_RETURN_CODE 77 TIMEOUT 900 FIXTURES_SETUP guest)

foreach(cpu cortex-a72 neoverse-n1 max,pauth-impdef=on)
  string(REGEX REPLACE ",.*" "" name ${cpu})
  softlbr_guest_test(kernel_facts-${name} kernel_facts ${cpu})
endforeach()
softlbr_guest_test(kernel_facts-6.12 kernel_facts neoverse-n1 6.12)
set_tests_properties(guest-kernel_facts-6.12 PROPERTIES LABELS "guest;long")
softlbr_guest_test(qemu_edges qemu_edges)
softlbr_guest_test(units units ${PROJECT_BINARY_DIR}/aarch64)
