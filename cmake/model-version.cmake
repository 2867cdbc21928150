# Writes the definition of GetModelVersion() (helper/model-version.h): a hash of all sources of
# model/ and helper/. It is its own source file, made at each build that has new sources.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  # Included by the two builds: adds the file to LINUX_HOST_SOURCES.
  set(_version_source ${CMAKE_CURRENT_BINARY_DIR}/linux-host-model-version.cc)
  set(_hashed)
  foreach(_file ${LINUX_HOST_SOURCES} ${LINUX_HOST_HEADERS})
    list(APPEND _hashed ${CMAKE_CURRENT_SOURCE_DIR}/${_file})
  endforeach()
  add_custom_command(
    OUTPUT ${_version_source}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_CURRENT_SOURCE_DIR} -DOUTPUT=${_version_source} -P
            ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${_hashed} ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "linux-host: version of the model"
    VERBATIM
  )
  list(APPEND LINUX_HOST_SOURCES ${_version_source})
  return()
endif()

file(GLOB_RECURSE _files RELATIVE ${ROOT} ${ROOT}/model/*.cc ${ROOT}/model/*.h ${ROOT}/helper/*.cc
     ${ROOT}/helper/*.h
)
list(SORT _files)
set(_all)
foreach(_file ${_files})
  file(SHA256 ${ROOT}/${_file} _hash)
  set(_all "${_all}${_file} ${_hash}\n")
endforeach()
string(SHA256 _hash "${_all}")
string(SUBSTRING ${_hash} 0 16 _hash)
file(
  WRITE ${OUTPUT}
  "// Written by cmake/model-version.cmake.
#include \"ns3/model-version.h\"

namespace ns3
{
namespace linuxhost
{

std::string
GetModelVersion()
{
    return \"ns\" + std::to_string(LINUX_HOST_NS3_VERSION) + \"-${_hash}\";
}

} // namespace linuxhost
} // namespace ns3
"
)
