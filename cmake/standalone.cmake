# The build by itself, against an installed ns-3 (cmake/FindNs3.cmake says which).
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
option(LINUX_HOST_WERROR "Treat warnings as errors" OFF)
option(LINUX_HOST_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)

find_package(Ns3 REQUIRED COMPONENTS core network stats internet csma bridge traffic-control
             point-to-point applications)
message(STATUS "linux-host: ns-3 ${NS3_VERSION_NUMBER} in ${NS3_LIBRARY_DIR}")

# The pack is C++17; the headers of a release want the standard that it was built with.
if(NS3_VERSION_NUMBER LESS 341)
  set(CMAKE_CXX_STANDARD 17)
elseif(NS3_VERSION_NUMBER LESS 346)
  set(CMAKE_CXX_STANDARD 20)
else()
  set(CMAKE_CXX_STANDARD 23)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# ns-3's headers are included as ns3/name.h, the pack's own too: a flat folder of links.
set(LINUX_HOST_INCLUDE ${CMAKE_CURRENT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${LINUX_HOST_INCLUDE}/ns3)
foreach(_header ${LINUX_HOST_HEADERS})
  get_filename_component(_name ${_header} NAME)
  file(WRITE ${LINUX_HOST_INCLUDE}/ns3/${_name}.new
       "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${_header}\"\n"
  )
  configure_file(${LINUX_HOST_INCLUDE}/ns3/${_name}.new ${LINUX_HOST_INCLUDE}/ns3/${_name} COPYONLY)
endforeach()

add_library(linux-host SHARED ${LINUX_HOST_SOURCES})
target_include_directories(linux-host PUBLIC ${LINUX_HOST_INCLUDE})
get_target_property(_ns3_include Ns3::Ns3 INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(linux-host SYSTEM PUBLIC ${_ns3_include})
target_link_libraries(linux-host PUBLIC Ns3::Ns3)
target_compile_definitions(
  linux-host PUBLIC LINUX_HOST_NS3_VERSION=${NS3_VERSION_NUMBER}
                    LINUX_HOST_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/test/data"
)
target_compile_options(linux-host PUBLIC -Wall -Wextra)
if(LINUX_HOST_WERROR)
  target_compile_options(linux-host PUBLIC -Werror)
endif()
if(LINUX_HOST_SANITIZE)
  target_compile_options(linux-host PUBLIC -fsanitize=address,undefined -fno-omit-frame-pointer
                         -fno-sanitize-recover=undefined)
  target_link_libraries(linux-host PUBLIC -fsanitize=address,undefined)
endif()
# The wheel is built with asserts and logs; Debian's package without. A header that disagrees with
# its library would break ns-3's own classes.
if(NS3_VERSION_NUMBER GREATER 337)
  target_compile_definitions(linux-host PUBLIC NS3_ASSERT_ENABLE NS3_LOG_ENABLE)
endif()

file(GLOB _json_wheels ${CMAKE_CURRENT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nlohmann_json/include
     $ENV{VIRTUAL_ENV}/lib/python3*/site-packages/nlohmann_json/include)
find_path(LINUX_HOST_JSON_INCLUDE nlohmann/json.hpp HINTS ${_json_wheels})
if(LINUX_HOST_JSON_INCLUDE)
  target_compile_definitions(linux-host PUBLIC LINUX_HOST_HAVE_JSON)
  target_include_directories(linux-host SYSTEM PUBLIC ${LINUX_HOST_JSON_INCLUDE})
else()
  message(STATUS "linux-host: nlohmann/json.hpp not found: what reads JSON files is left out")
endif()

# Recorded cases packed by gzip are read where zlib is there.
find_package(ZLIB QUIET)
if(ZLIB_FOUND)
  target_compile_definitions(linux-host PRIVATE LINUX_HOST_HAVE_ZLIB)
  target_link_libraries(linux-host PRIVATE ZLIB::ZLIB)
endif()

set_target_properties(linux-host PROPERTIES BUILD_RPATH "${NS3_LIBRARY_DIR}")

if(LINUX_HOST_TESTS)
  add_executable(test-runner cmake/test-runner.cc ${LINUX_HOST_TESTS})
  target_link_libraries(test-runner PRIVATE linux-host)
endif()
foreach(_example ${LINUX_HOST_EXAMPLES})
  get_filename_component(_name ${_example} NAME_WE)
  add_executable(${_name} examples/${_example})
  target_link_libraries(${_name} PRIVATE linux-host)
endforeach()
