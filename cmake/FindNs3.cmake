# Find an ns-3 that is installed or built: pip's wheel, Debian's libns3-dev, an install prefix, or a
# built ns-3 tree.
#
# The configs that ns-3 packages ship name folders of the machine they were built on, so this looks
# for the headers and libraries itself.
#
# What can be set:
#   NS3_ROOT     where to look, and nowhere else: an install prefix (it holds include/ns3), a virtual
#                environment with the wheel, or a built tree. Without it: the wheel of the python3
#                on the PATH, the wheel in the repository's .venv, then the system.
#   NS3_PROFILE  when builds of several profiles share a folder: default, debug, optimized, release
#   NS3_VERSION  when it cannot be told: 3.37, ..., or 3-dev
#   NS3_ASSERTS  ON or OFF: whether asserts and logs are compiled in; it is read from the library
#                when it is not set
#
# Gives the target Ns3::Ns3 with the modules asked for as components, NS3_INCLUDE_DIR,
# NS3_LIBRARY_DIR, and NS3_VERSION_NUMBER (337, 344, ..., 999 for a development tree).

include(${CMAKE_CURRENT_LIST_DIR}/python-packages.cmake)

# An earlier search answers for the NS3_ROOT of then, and for an ns-3 that may be gone.
if(NOT "${NS3_ROOT}" STREQUAL "${NS3_ROOT_SEARCHED}"
   OR NOT EXISTS "${NS3_INCLUDE_DIR}/ns3/core-module.h"
)
  unset(NS3_INCLUDE_DIR CACHE)
endif()
set(NS3_ROOT_SEARCHED "${NS3_ROOT}" CACHE INTERNAL "NS3_ROOT of the last search")

if(NS3_ROOT)
  get_filename_component(_root "${NS3_ROOT}" ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
  file(GLOB _wheel ${_root}/lib/python3*/site-packages/ns3)
  find_path(
    NS3_INCLUDE_DIR ns3/core-module.h
    PATHS ${_root} ${_root}/build ${_root}/usr ${_wheel}
    PATH_SUFFIXES include
    NO_DEFAULT_PATH
  )
else()
  set(_wheels)
  foreach(_folder ${LINUX_HOST_PYTHON_PACKAGES})
    list(APPEND _wheels ${_folder}/ns3)
  endforeach()
  find_path(NS3_INCLUDE_DIR ns3/core-module.h HINTS ${_wheels} PATH_SUFFIXES include)
endif()
mark_as_advanced(NS3_INCLUDE_DIR)

# libns3.44-core.so (wheel), libns3-core.so -> libns3-core.so.37 (Debian), libns3.48-core-default.so
# and libns3-dev-core-debug.so (built by hand); not libns3.48-core-test-default.so.
set(NS3_LIBRARY_DIR)
if(NS3_INCLUDE_DIR)
  get_filename_component(_prefix ${NS3_INCLUDE_DIR} DIRECTORY)
  file(GLOB _libraries ${_prefix}/lib64/libns3*-core*.so ${_prefix}/lib/libns3*-core*.so
       ${_prefix}/lib/*/libns3*-core*.so
  )
  foreach(_library ${_libraries})
    get_filename_component(_name ${_library} NAME)
    if(NOT NS3_LIBRARY_DIR
       AND _name MATCHES
           "^(libns3([.][0-9.]+|-dev|))-core(-(default|debug|optimized|release|minsizerel)|)[.]so$"
    )
      set(_stem ${CMAKE_MATCH_1})
      set(_version ${CMAKE_MATCH_2})
      set(_suffix ${CMAKE_MATCH_3})
      set(_profile ${CMAKE_MATCH_4})
      if(NOT _profile)
        set(_profile release)
      endif()
      if(NOT NS3_PROFILE OR NS3_PROFILE STREQUAL _profile)
        get_filename_component(NS3_LIBRARY_DIR ${_library} DIRECTORY)
        set(_core ${_library})
      endif()
    endif()
  endforeach()
endif()

set(Ns3_FOUND FALSE)
set(_of_profile)
if(NS3_PROFILE)
  set(_of_profile " of the profile ${NS3_PROFILE}")
endif()
set(_wrong)
if(NOT NS3_INCLUDE_DIR AND NS3_ROOT)
  set(_wrong "${_root} is no install prefix, no virtual environment and no built tree of ns-3")
elseif(NOT NS3_INCLUDE_DIR)
  set(_wrong "no ns-3 found; install one ('python3 -m pip install --no-deps ns3' or 'apt-get install \
libns3-dev') or name one with -DNS3_ROOT=DIR"
  )
elseif(NOT NS3_LIBRARY_DIR)
  set(_wrong "the ns-3 in ${_prefix} has headers but no shared libraries${_of_profile}"
  )
else()
  get_filename_component(_real ${_core} REALPATH)
  string(REGEX REPLACE ".*[.]so" "" _soversion ${_real})
  # The first that says something: what was set, the library's name, the number behind its name.
  string(REGEX MATCH "^(3[.]|3-|-|[.])(dev|[0-9]+)" _match "${NS3_VERSION}${_version}${_soversion}")
  if(CMAKE_MATCH_2 STREQUAL "dev")
    set(NS3_VERSION_NUMBER 999)
  elseif(CMAKE_MATCH_2)
    set(NS3_VERSION_NUMBER 3${CMAKE_MATCH_2})
  else()
    set(_wrong "the release of the ns-3 in ${_prefix} cannot be told; name it with -DNS3_VERSION=3.NN")
  endif()
  foreach(_module ${Ns3_FIND_COMPONENTS})
    if(NOT EXISTS ${NS3_LIBRARY_DIR}/${_stem}-${_module}${_suffix}.so)
      set(_wrong "the ns-3 in ${_prefix} has no ${_module} module")
    endif()
  endforeach()
endif()

if(_wrong)
  if(Ns3_FIND_REQUIRED)
    message(FATAL_ERROR "linux-host: ${_wrong}")
  endif()
  return()
endif()
set(Ns3_FOUND TRUE)

# A header that disagrees with its library about asserts would give a class two faces.
set(_asserts ${NS3_ASSERTS})
if("${_asserts}" STREQUAL "")
  file(STRINGS ${_core} _messages REGEX "(assert|NS_ASSERT) failed[.,] cond=" LIMIT_COUNT 1)
  string(LENGTH "${_messages}" _asserts)
endif()

if(NOT TARGET Ns3::Ns3)
  set(_libraries)
  foreach(_module ${Ns3_FIND_COMPONENTS})
    list(APPEND _libraries ${NS3_LIBRARY_DIR}/${_stem}-${_module}${_suffix}.so)
  endforeach()
  add_library(Ns3::Ns3 INTERFACE IMPORTED)
  set_target_properties(
    Ns3::Ns3 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${NS3_INCLUDE_DIR}
                        INTERFACE_LINK_LIBRARIES "${_libraries}"
  )
  if(_asserts)
    set_target_properties(
      Ns3::Ns3 PROPERTIES INTERFACE_COMPILE_DEFINITIONS "NS3_ASSERT_ENABLE;NS3_LOG_ENABLE"
    )
  endif()
endif()
if(NOT Ns3_FIND_QUIETLY)
  if(_asserts)
    set(_asserts "with asserts and logs")
  else()
    set(_asserts "without asserts and logs")
  endif()
  message(STATUS "linux-host: ns-3 ${NS3_VERSION_NUMBER} in ${_prefix}, ${_asserts}")
endif()
