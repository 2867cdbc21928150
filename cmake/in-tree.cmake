# The build inside an ns-3 tree: ns-3's own build_lib does the work.

# NS3_VER is "3.43", "3.46.1" or "3-dev".
if("${NS3_VER}" MATCHES "^3\\.([0-9]+)")
  set(LINUX_HOST_NS3_VERSION "3${CMAKE_MATCH_1}")
else()
  set(LINUX_HOST_NS3_VERSION 999)
endif()
add_compile_definitions(LINUX_HOST_NS3_VERSION=${LINUX_HOST_NS3_VERSION}
                        LINUX_HOST_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/test/data"
)

find_path(LINUX_HOST_JSON_INCLUDE nlohmann/json.hpp)
if(LINUX_HOST_JSON_INCLUDE)
  add_compile_definitions(LINUX_HOST_HAVE_JSON)
  include_directories(SYSTEM ${LINUX_HOST_JSON_INCLUDE})
else()
  message(STATUS "linux-host: nlohmann/json.hpp not found: what reads JSON files is left out")
endif()

# Recorded cases packed by gzip are read where zlib is there.
find_package(ZLIB QUIET)
if(ZLIB_FOUND)
  add_compile_definitions(LINUX_HOST_HAVE_ZLIB)
endif()

build_lib(
  LIBNAME linux-host
  SOURCE_FILES ${LINUX_HOST_SOURCES}
  HEADER_FILES ${LINUX_HOST_HEADERS}
  LIBRARIES_TO_LINK ${libcore}
                    ${libnetwork}
                    ${libinternet}
                    ${libcsma}
                    ${libbridge}
                    ${libtraffic-control}
                    ${libpoint-to-point}
                    ${libapplications}
                    ${libstats}
                    ${ZLIB_LIBRARIES}
  TEST_SOURCES ${LINUX_HOST_TESTS}
)
