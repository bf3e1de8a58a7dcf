# What is installed, and where. Everything that finds something else of it does so by a relative path, so that a tree
# that was moved as a whole still works (tests/live/install.sh).
include(CMakePackageConfigHelpers)

set(SOFTLBR_BASH_COMPLETIONS_DIR ${CMAKE_INSTALL_DATADIR}/bash-completion/completions CACHE STRING
  "where bash finds completions")
set(SOFTLBR_ZSH_COMPLETIONS_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
  "where zsh finds completions")
set(SOFTLBR_FISH_COMPLETIONS_DIR ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d CACHE STRING
  "where fish finds completions")
set(SOFTLBR_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/softlbr)
set(templates ${CMAKE_CURRENT_LIST_DIR})

# The program, what it becomes for all but recording, its manual pages and completions.
install(TARGETS softlbr)
install(TARGETS softlbr-full RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/softlbr)
file(GLOB manual_pages ${PROJECT_SOURCE_DIR}/docs/man/softlbr*.1)
install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
if(TARGET completions)
  set(completions ${PROJECT_BINARY_DIR}/completions)
  install(FILES ${completions}/softlbr.bash DESTINATION ${SOFTLBR_BASH_COMPLETIONS_DIR} RENAME softlbr)
  install(FILES ${completions}/softlbr.zsh DESTINATION ${SOFTLBR_ZSH_COMPLETIONS_DIR} RENAME _softlbr)
  install(FILES ${completions}/softlbr.fish DESTINATION ${SOFTLBR_FISH_COMPLETIONS_DIR})
endif()

# AutoFDO's commands are installed if they are asked for: autofdo itself may be there.
option(SOFTLBR_AUTOFDO "install create_gcov, create_llvm_prof and the other commands of autofdo" OFF)
if(SOFTLBR_AUTOFDO)
  install(PROGRAMS ${PROJECT_BINARY_DIR}/create_gcov DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/docs/man/create_gcov.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man1)
  foreach(command ${SOFTLBR_AUTOFDO_LINKS})
    file(CREATE_LINK create_gcov.1 ${PROJECT_BINARY_DIR}/man1/${command}.1 SYMBOLIC)
    install(FILES ${PROJECT_BINARY_DIR}/${command} DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${PROJECT_BINARY_DIR}/man1/${command}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endforeach()
endif()

# The documentation keeps the tree's layout: links work, and so do the README's commands where it is installed.
include(${CMAKE_CURRENT_LIST_DIR}/readme.cmake)
install(FILES ${PROJECT_BINARY_DIR}/README.md ${PROJECT_SOURCE_DIR}/NEWS.md ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.json" PATTERN "*.yml"
  PATTERN man EXCLUDE PATTERN contributing EXCLUDE PATTERN design.md EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS
  PATTERN "build*" EXCLUDE PATTERN "*.profile" EXCLUDE)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/benchmarks/variants.py DESTINATION ${CMAKE_INSTALL_DOCDIR}/benchmarks)

# The libraries. A sanitizer's build has no collector.
set(libraries softlbr-profile)
if(TARGET softlbr-collector)
  list(APPEND libraries softlbr-collector)
endif()
install(TARGETS ${libraries} EXPORT softlbr INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set_target_properties(softlbr-profile PROPERTIES EXPORT_NAME profile)
if(TARGET softlbr-collector)
  set_target_properties(softlbr-collector PROPERTIES EXPORT_NAME collector)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/softlbr DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# find_package(softlbr)
install(EXPORT softlbr NAMESPACE softlbr:: FILE softlbr-targets.cmake DESTINATION ${SOFTLBR_CMAKE_DIR})
configure_package_config_file(${templates}/softlbr-config.cmake.in ${PROJECT_BINARY_DIR}/softlbr-config.cmake
  INSTALL_DESTINATION ${SOFTLBR_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_BINDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/softlbr-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/softlbr-config.cmake ${PROJECT_BINARY_DIR}/softlbr-config-version.cmake
  ${templates}/softlbr-training.cmake ${templates}/softlbr-flags.cmake DESTINATION ${SOFTLBR_CMAKE_DIR})

# pkg-config --cflags --libs softlbr-collector softlbr-profile
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(library ${libraries})
  configure_file(${templates}/${library}.pc.in ${PROJECT_BINARY_DIR}/${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${pkgconfig_dir})
endforeach()

# What the last `cmake --install` of this build wrote goes again.
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
  -P ${templates}/uninstall.cmake USES_TERMINAL VERBATIM)
