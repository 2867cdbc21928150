# What the module is made of, for the build inside an ns-3 tree and for the standalone one.
# Each room of model/ is globbed: a new lock, machine or device is a new file and nothing else.

get_filename_component(_root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

# CMake looks for new files at each build since 3.12.
if(CMAKE_VERSION VERSION_LESS 3.12)
  set(_fresh)
else()
  set(_fresh CONFIGURE_DEPENDS)
endif()

file(GLOB LINUX_HOST_SOURCES ${_fresh} RELATIVE ${_root} ${_root}/model/*/*.cc
     ${_root}/helper/*.cc
)
file(GLOB LINUX_HOST_HEADERS ${_fresh} RELATIVE ${_root} ${_root}/model/*.h ${_root}/model/*/*.h
     ${_root}/helper/*.h
)
file(GLOB LINUX_HOST_TESTS ${_fresh} RELATIVE ${_root} ${_root}/test/*-test.cc
     ${_root}/test/*-test-suite.cc
)
file(GLOB LINUX_HOST_EXAMPLES ${_fresh} RELATIVE ${_root}/examples ${_root}/examples/*.cc)
file(GLOB LINUX_HOST_FUZZERS ${_fresh} RELATIVE ${_root} ${_root}/test/fuzz/*-fuzz.cc)

# The ns-3 modules that are needed; CMakeLists.txt has them once more, as ns-3 wants to read them.
set(LINUX_HOST_MODULES
    core
    network
    internet
    csma
    bridge
    traffic-control
    point-to-point
    applications
    stats
)
