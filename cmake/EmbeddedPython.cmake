# Finds the Python to embed and pybind11 for it; defines EmbeddedPython::EmbeddedPython over
# pybind11::embed.
#
# Order: WARPMARK_PYTHON, an active virtual environment, the interpreter recorded by an earlier
# configure, python3 on PATH, /usr/bin/python3. The first that has headers and a shared libpython
# and imports NumPy is taken; cmake/probe_python.py decides, as it does for ./bootstrap. Its headers
# and libpython are given to FindPython by name: left alone, FindPython pairs one Python's
# interpreter with another's library when both have the same version.
#
# Sets Python3_EXECUTABLE, Python3_VERSION, and the cache entry WARPMARK_BUILD_PYTHON, which C++ gets
# as a string macro of that name through EmbeddedPython::EmbeddedPython.

# A wheel is loaded by the Python that it is built for, and embeds none.
if(SKBUILD)
  find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
  set(PYBIND11_FINDPYTHON ON)
  find_package(pybind11 2.10.3 REQUIRED)
  return()
endif()

set(WARPMARK_BUILD_PYTHON "" CACHE FILEPATH "The interpreter that is embedded; empty: look for one")

# Asks `candidate`; sets probe_KEY for each line that it prints, and probe_ok.
macro(_warpmark_probe_python candidate)
  set(probe_ok FALSE)
  set(probe_reason "does not run")
  execute_process(COMMAND ${candidate} -I ${PROJECT_SOURCE_DIR}/cmake/probe_python.py
    OUTPUT_VARIABLE _probe_output ERROR_QUIET RESULT_VARIABLE _probe_result)
  string(REPLACE "\n" ";" _probe_lines "${_probe_output}")
  foreach(_probe_line IN LISTS _probe_lines)
    if(_probe_line MATCHES "^([a-z0-9]+)=(.*)$")
      set(probe_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  if(_probe_result EQUAL 0)
    set(probe_ok TRUE)
  endif()
endmacro()

find_program(_warpmark_path_python python3 NO_CACHE NO_CMAKE_PATH NO_CMAKE_ENVIRONMENT_PATH)
set(_candidates)
if(Python3_EXECUTABLE)  # -DPython3_EXECUTABLE=… is an order, not a proposal
  set(_candidates ${Python3_EXECUTABLE})
else()
  list(APPEND _candidates $ENV{WARPMARK_PYTHON})
  if(DEFINED ENV{VIRTUAL_ENV})
    list(APPEND _candidates $ENV{VIRTUAL_ENV}/bin/python3)
  endif()
  list(APPEND _candidates ${WARPMARK_BUILD_PYTHON})
  if(_warpmark_path_python)
    list(APPEND _candidates ${_warpmark_path_python})
  endif()
  list(APPEND _candidates /usr/bin/python3)
endif()
list(REMOVE_DUPLICATES _candidates)

set(_rejected)
foreach(_candidate IN LISTS _candidates)
  _warpmark_probe_python(${_candidate})
  if(probe_ok)
    break()
  endif()
  string(APPEND _rejected "\n  ${_candidate}: ${probe_reason}")
endforeach()
if(NOT probe_ok)
  message(FATAL_ERROR "No Python can be embedded:${_rejected}\n"
    "Run ./bootstrap, which says what to install, or set WARPMARK_PYTHON.")
endif()
if(_rejected)
  message(STATUS "Python passed over:${_rejected}")
endif()
message(STATUS "Python to embed: ${probe_executable} (${probe_version}, NumPy ${probe_numpy})")

# pybind11 looks for Python, the code below for Python3: both get the same.
foreach(_name Python Python3)
  set(${_name}_EXECUTABLE ${probe_executable})
  set(${_name}_INCLUDE_DIR ${probe_include})
  set(${_name}_LIBRARY ${probe_library})
endforeach()
if(NOT WARPMARK_BUILD_PYTHON STREQUAL probe_executable)
  unset(pybind11_DIR CACHE)  # it may belong to the Python of the last configure
endif()
if(probe_pybind11 AND NOT pybind11_DIR)
  set(pybind11_DIR ${probe_pybind11})
endif()
find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter Development.Embed Development.Module)
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 2.10.3 REQUIRED)

set(Python3_EXECUTABLE ${probe_executable})
set(WARPMARK_BUILD_PYTHON ${probe_executable} CACHE FILEPATH
  "The interpreter that is embedded; empty: look for one" FORCE)
if(NOT TARGET EmbeddedPython::EmbeddedPython)
  add_library(EmbeddedPython::EmbeddedPython INTERFACE IMPORTED)
  target_link_libraries(EmbeddedPython::EmbeddedPython INTERFACE pybind11::embed)
  target_compile_definitions(EmbeddedPython::EmbeddedPython INTERFACE
    WARPMARK_BUILD_PYTHON="${WARPMARK_BUILD_PYTHON}")
endif()
