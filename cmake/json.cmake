# Where nlohmann/json.hpp is (LINUX_HOST_JSON_INCLUDE): Debian's nlohmann-json3-dev, or PyPI's
# nlohmann-json.
include(${CMAKE_CURRENT_LIST_DIR}/python-packages.cmake)

set(_json_hints)
foreach(_folder ${LINUX_HOST_PYTHON_PACKAGES})
  list(APPEND _json_hints ${_folder}/nlohmann_json/include)
endforeach()
if(DEFINED LINUX_HOST_JSON_INCLUDE)
  if(NOT EXISTS "${LINUX_HOST_JSON_INCLUDE}/nlohmann/json.hpp")
    unset(LINUX_HOST_JSON_INCLUDE CACHE)
  endif()
endif()
find_path(LINUX_HOST_JSON_INCLUDE nlohmann/json.hpp PATHS ${_json_hints})
mark_as_advanced(LINUX_HOST_JSON_INCLUDE)
if(NOT LINUX_HOST_JSON_INCLUDE)
  message(STATUS "linux-host: nlohmann/json.hpp not found: what reads JSON files is left out")
endif()
