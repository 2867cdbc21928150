# What the build inside an ns-3 tree settles before build_lib: the release, the optional parts, and
# whether all modules are there (LINUX_HOST_MISSING).

# NS3_VER is "3.43", "3.46.1" or "3-dev".
if("${NS3_VER}" MATCHES "^3\\.([0-9]+)")
  set(LINUX_HOST_NS3_VERSION "3${CMAKE_MATCH_1}")
else()
  set(LINUX_HOST_NS3_VERSION 999)
endif()

set(LINUX_HOST_MISSING)
foreach(_module ${LINUX_HOST_MODULES})
  if(NOT "${_module}" IN_LIST ns3-all-enabled-modules)
    list(APPEND LINUX_HOST_MISSING ${_module})
  endif()
endforeach()
string(REPLACE ";" " " LINUX_HOST_MISSING "${LINUX_HOST_MISSING}")

include(${CMAKE_CURRENT_LIST_DIR}/json.cmake)

# Of the directory, not of the target: releases before 3.43 compile an object library as well. The
# property instead of add_compile_definitions, which CMake 3.10 does not have.
set_property(
  DIRECTORY
  APPEND
  PROPERTY COMPILE_DEFINITIONS LINUX_HOST_NS3_VERSION=${LINUX_HOST_NS3_VERSION}
           LINUX_HOST_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/test/data"
           LINUX_HOST_EXAMPLE_DATA="${CMAKE_CURRENT_SOURCE_DIR}/examples/data"
)
if(LINUX_HOST_JSON_INCLUDE)
  set_property(DIRECTORY APPEND PROPERTY COMPILE_DEFINITIONS LINUX_HOST_HAVE_JSON)
  include_directories(SYSTEM ${LINUX_HOST_JSON_INCLUDE})
endif()

# Recorded cases packed by gzip are read where zlib is there.
find_package(ZLIB QUIET)
if(ZLIB_FOUND)
  set_property(DIRECTORY APPEND PROPERTY COMPILE_DEFINITIONS LINUX_HOST_HAVE_ZLIB)
  list(APPEND LINUX_HOST_LIBRARIES ${ZLIB_LIBRARIES})
endif()
