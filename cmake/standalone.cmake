# The build by itself, against an installed ns-3 (cmake/FindNs3.cmake says which).
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
option(LINUX_HOST_WERROR "Treat warnings as errors" OFF)
option(LINUX_HOST_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(LINUX_HOST_FUZZ "Build the fuzzers of test/fuzz (clang++ only; sanitized as well)" OFF)

find_package(Ns3 REQUIRED COMPONENTS ${LINUX_HOST_MODULES})
include(${CMAKE_CURRENT_LIST_DIR}/json.cmake)

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
if((CMAKE_CXX_STANDARD EQUAL 20 AND CMAKE_VERSION VERSION_LESS 3.12)
   OR (CMAKE_CXX_STANDARD EQUAL 23 AND CMAKE_VERSION VERSION_LESS 3.20)
)
  # A CMake that is older than the standard does not know the option.
  add_compile_options(-std=c++${CMAKE_CXX_STANDARD})
  unset(CMAKE_CXX_STANDARD)
endif()

# The pack's headers are included as ns3/name.h, like ns-3's: a flat folder of headers that lead to
# the real ones, written only when they change.
set(_include ${CMAKE_CURRENT_BINARY_DIR}/include)
file(GLOB _stale ${_include}/ns3/*.h)
foreach(_header ${LINUX_HOST_HEADERS})
  get_filename_component(_name ${_header} NAME)
  list(REMOVE_ITEM _stale ${_include}/ns3/${_name})
  set(_line "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${_header}\"\n")
  set(_old)
  if(EXISTS ${_include}/ns3/${_name})
    file(READ ${_include}/ns3/${_name} _old)
  endif()
  if(NOT "${_old}" STREQUAL "${_line}")
    file(WRITE ${_include}/ns3/${_name} "${_line}")
  endif()
endforeach()
if(_stale)
  file(REMOVE ${_stale})
endif()

include(${CMAKE_CURRENT_LIST_DIR}/model-version.cmake)
add_library(linux-host SHARED ${LINUX_HOST_SOURCES})
target_link_libraries(linux-host PUBLIC Ns3::Ns3)
target_include_directories(linux-host PUBLIC ${_include})
target_compile_definitions(
  linux-host PUBLIC LINUX_HOST_NS3_VERSION=${NS3_VERSION_NUMBER}
                    LINUX_HOST_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/test/data"
                    LINUX_HOST_EXAMPLE_DATA="${CMAKE_CURRENT_SOURCE_DIR}/examples/data"
)
if(LINUX_HOST_JSON_INCLUDE)
  target_compile_definitions(linux-host PUBLIC LINUX_HOST_HAVE_JSON)
  target_include_directories(linux-host SYSTEM PUBLIC ${LINUX_HOST_JSON_INCLUDE})
endif()

target_compile_options(linux-host PUBLIC -Wall -Wextra)
if(LINUX_HOST_WERROR)
  target_compile_options(linux-host PUBLIC -Werror)
endif()
set(_sanitizers)
if(LINUX_HOST_SANITIZE OR LINUX_HOST_FUZZ)
  set(_sanitizers -fsanitize=address,undefined)
  target_compile_options(linux-host PUBLIC -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
endif()
if(LINUX_HOST_FUZZ)
  target_compile_options(linux-host PUBLIC ${_sanitizers} -fsanitize=fuzzer-no-link)
else()
  target_compile_options(linux-host PUBLIC ${_sanitizers})
endif()
target_link_libraries(linux-host PUBLIC ${_sanitizers})

# Recorded cases packed by gzip are read where zlib is there.
find_package(ZLIB QUIET)
if(ZLIB_FOUND)
  target_compile_definitions(linux-host PRIVATE LINUX_HOST_HAVE_ZLIB)
  target_link_libraries(linux-host PRIVATE ZLIB::ZLIB)
endif()

enable_testing()
if(LINUX_HOST_TESTS)
  add_executable(test-runner cmake/test-runner.cc ${LINUX_HOST_TESTS})
  target_link_libraries(test-runner PRIVATE linux-host)
  # All tests, but under the sanitizers only those that are quick.
  set(_fullness EXTENSIVE)
  if(_sanitizers)
    set(_fullness QUICK)
  endif()
  foreach(_test ${LINUX_HOST_TESTS})
    file(STRINGS ${_test} _lines REGEX "TestSuite\\(\"linux-host")
    foreach(_line ${_lines})
      string(REGEX REPLACE ".*TestSuite\\(\"(linux-host[a-z0-9-]*)\".*" "\\1" _suite "${_line}")
      add_test(NAME ${_suite} COMMAND test-runner --suite=${_suite} --verbose
                                      --fullness=${_fullness}
                                      --tempdir=${CMAKE_CURRENT_BINARY_DIR}/test-output/${_suite}
      )
    endforeach()
  endforeach()
endif()

add_custom_target(examples)
foreach(_example ${LINUX_HOST_EXAMPLES})
  get_filename_component(_name ${_example} NAME_WE)
  add_executable(${_name} examples/${_example})
  target_link_libraries(${_name} PRIVATE linux-host)
  set_target_properties(
    ${_name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/examples
  )
  add_dependencies(examples ${_name})
endforeach()

# test/examples-to-run.py is ns-3's file and format; its lines are CTest's tests as well.
set(_number 0)
file(STRINGS test/examples-to-run.py _lines REGEX "^ *\\(\"[^\"]+\", \"True\"")
foreach(_line ${_lines})
  string(REGEX REPLACE "^ *\\(\"([^\"]+)\".*" "\\1" _command "${_line}")
  separate_arguments(_command UNIX_COMMAND "${_command}")
  list(GET _command 0 _name)
  math(EXPR _number "${_number} + 1")
  if(TARGET ${_name})
    add_test(NAME example-${_number}-${_name} COMMAND ${_command})
  endif()
endforeach()

if(LINUX_HOST_FUZZ)
  foreach(_fuzzer ${LINUX_HOST_FUZZERS})
    get_filename_component(_name ${_fuzzer} NAME_WE)
    add_executable(${_name} ${_fuzzer})
    target_link_libraries(${_name} PRIVATE linux-host -fsanitize=fuzzer)
  endforeach()
endif()
