# Finds the Python to embed and pybind11 for it; defines pybind11::embed.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
set(PYBIND11_FINDPYTHON ON)
find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Embed Development.Module)
set(Python_EXECUTABLE ${Python3_EXECUTABLE})
find_package(pybind11 REQUIRED)
