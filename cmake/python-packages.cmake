# The folders where pip puts packages: LINUX_HOST_PYTHON_PACKAGES has those of the python3 on the
# PATH (the active virtual environment's) and of the repository's own .venv.
if(NOT DEFINED LINUX_HOST_PYTHON_PACKAGES)
  set(LINUX_HOST_PYTHON_PACKAGES)
  find_program(LINUX_HOST_PYTHON python3)
  mark_as_advanced(LINUX_HOST_PYTHON)
  if(LINUX_HOST_PYTHON)
    execute_process(
      COMMAND ${LINUX_HOST_PYTHON} -c
              "import site; print(*site.getsitepackages(), site.getusersitepackages(), sep=';', end='')"
      OUTPUT_VARIABLE LINUX_HOST_PYTHON_PACKAGES
      ERROR_QUIET
    )
  endif()
  file(GLOB _own ${CMAKE_CURRENT_LIST_DIR}/../.venv/lib/python3*/site-packages)
  list(APPEND LINUX_HOST_PYTHON_PACKAGES ${_own})
endif()
