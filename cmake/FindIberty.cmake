# libiberty, which Debian installs as an archive alone (libiberty-dev): the target Iberty::Iberty.
find_path(IBERTY_INCLUDE_DIR libiberty/demangle.h)
find_library(IBERTY_LIBRARY NAMES libiberty.a iberty)
mark_as_advanced(IBERTY_INCLUDE_DIR IBERTY_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Iberty REQUIRED_VARS IBERTY_LIBRARY IBERTY_INCLUDE_DIR)
if(Iberty_FOUND AND NOT TARGET Iberty::Iberty)
  add_library(Iberty::Iberty UNKNOWN IMPORTED)
  set_target_properties(Iberty::Iberty PROPERTIES IMPORTED_LOCATION ${IBERTY_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${IBERTY_INCLUDE_DIR})
endif()
