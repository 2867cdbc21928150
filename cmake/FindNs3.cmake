# Find an ns-3 that is installed: pip's wheel, Debian's libns3-dev, or an install prefix.
#
# The configs that ns-3 packages ship name folders of the machine they were built on, so this looks
# for the headers and libraries themselves.
#
#   NS3_ROOT  where to look: the folder that holds include/ns3 (an install prefix, or the
#             site-packages/ns3 of a wheel); without it, the active virtual environment's wheel and
#             then the system.
#
# Gives the target Ns3::Ns3, NS3_INCLUDE_DIR, NS3_LIBRARY_DIR and NS3_VERSION_NUMBER (337, 344, ...,
# 999 for a development tree).

set(_ns3_hints)
if(NS3_ROOT)
  list(APPEND _ns3_hints ${NS3_ROOT})
  file(GLOB _ns3_wheels ${NS3_ROOT}/lib/python3*/site-packages/ns3)
  list(APPEND _ns3_hints ${_ns3_wheels})
elseif(DEFINED ENV{VIRTUAL_ENV})
  file(GLOB _ns3_wheels $ENV{VIRTUAL_ENV}/lib/python3*/site-packages/ns3)
  list(APPEND _ns3_hints ${_ns3_wheels})
endif()

if(NS3_ROOT)
  set(_ns3_only NO_DEFAULT_PATH)
endif()
find_path(NS3_INCLUDE_DIR ns3/core-module.h HINTS ${_ns3_hints} PATH_SUFFIXES include ${_ns3_only})

set(_ns3_core)
if(NS3_INCLUDE_DIR)
  get_filename_component(_ns3_prefix ${NS3_INCLUDE_DIR} DIRECTORY)
  file(GLOB _ns3_core
       ${_ns3_prefix}/lib64/libns3*-core*.so
       ${_ns3_prefix}/lib/libns3*-core*.so
       ${_ns3_prefix}/lib/*/libns3*-core*.so
  )
endif()
if(_ns3_core)
  list(GET _ns3_core 0 _ns3_core)
  get_filename_component(NS3_LIBRARY_DIR ${_ns3_core} DIRECTORY)
  get_filename_component(_ns3_name ${_ns3_core} NAME)
  # libns3.44-core.so, libns3-dev-core-debug.so, libns3.37-core.so
  string(REGEX MATCH "^libns3(\\.([0-9]+)[0-9.]*|-dev)-core(.*)\\.so$" _ns3_match ${_ns3_name})
  if(CMAKE_MATCH_2)
    set(NS3_VERSION_NUMBER "3${CMAKE_MATCH_2}")
  else()
    set(NS3_VERSION_NUMBER 999)
  endif()
  string(REPLACE "-core" ";" _ns3_parts ${_ns3_name})
  list(GET _ns3_parts 0 _ns3_lib_prefix)
  list(GET _ns3_parts 1 _ns3_lib_suffix)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Ns3 REQUIRED_VARS NS3_INCLUDE_DIR NS3_LIBRARY_DIR)

if(Ns3_FOUND AND NOT TARGET Ns3::Ns3)
  add_library(Ns3::Ns3 INTERFACE IMPORTED)
  set(_ns3_libs)
  foreach(_module ${Ns3_FIND_COMPONENTS})
    set(_lib ${NS3_LIBRARY_DIR}/${_ns3_lib_prefix}-${_module}${_ns3_lib_suffix})
    if(NOT EXISTS ${_lib})
      message(FATAL_ERROR "This ns-3 has no ${_module} module: ${_lib} is missing")
    endif()
    list(APPEND _ns3_libs ${_lib})
  endforeach()
  set_target_properties(
    Ns3::Ns3 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${NS3_INCLUDE_DIR}
                        INTERFACE_LINK_LIBRARIES "${_ns3_libs}"
  )
endif()
