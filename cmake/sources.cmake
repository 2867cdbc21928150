# What the module is made of, for the build inside an ns-3 tree and for the standalone one.
# Each room of model/ is globbed: a new lock, machine or device is a new file and nothing else.

file(GLOB LINUX_HOST_SOURCES CONFIGURE_DEPENDS
     RELATIVE ${CMAKE_CURRENT_LIST_DIR}/..
     ${CMAKE_CURRENT_LIST_DIR}/../model/*/*.cc
     ${CMAKE_CURRENT_LIST_DIR}/../helper/*.cc
)
file(GLOB LINUX_HOST_HEADERS CONFIGURE_DEPENDS
     RELATIVE ${CMAKE_CURRENT_LIST_DIR}/..
     ${CMAKE_CURRENT_LIST_DIR}/../model/*.h
     ${CMAKE_CURRENT_LIST_DIR}/../model/*/*.h
     ${CMAKE_CURRENT_LIST_DIR}/../helper/*.h
)
file(GLOB LINUX_HOST_TESTS CONFIGURE_DEPENDS
     RELATIVE ${CMAKE_CURRENT_LIST_DIR}/..
     ${CMAKE_CURRENT_LIST_DIR}/../test/*-test.cc
     ${CMAKE_CURRENT_LIST_DIR}/../test/*-test-suite.cc
)
file(GLOB LINUX_HOST_EXAMPLES CONFIGURE_DEPENDS
     RELATIVE ${CMAKE_CURRENT_LIST_DIR}/../examples
     ${CMAKE_CURRENT_LIST_DIR}/../examples/*.cc
)
