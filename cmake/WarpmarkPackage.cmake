# Debian packages, by `cpack --config build/CPackConfig.cmake` after `cmake --build … --target product`:
#   warpmark       the program with its libraries, plugins, headers and CMake package
#   warpmark-mpi   warpmark-mpi.so, for `mpirun warpmark check`; only it needs MPI
#   warpmark-cuda  NVRTC and CUDA's headers from build/deps, for machines without a toolkit
# They are for the release that they are made on: libpython and the C++ libraries are its own.
if(SKBUILD)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpmark)
set(CPACK_PACKAGE_VENDOR "Warpmark")
set(CPACK_PACKAGE_CONTACT "The Warpmark authors <warpmark@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)  # else the folder that cpack is started in
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};${PROJECT_NAME};ALL;/")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime development)
if(WARPMARK_INSTALL_CUDA AND EXISTS ${PROJECT_SOURCE_DIR}/build/deps/cuda)
  list(APPEND CPACK_COMPONENTS_ALL cuda)
endif()
if(TARGET warpmark_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_COMPONENT_RUNTIME_GROUP program)
set(CPACK_COMPONENT_DEVELOPMENT_GROUP program)
set(CPACK_COMPONENT_MPI_GROUP mpi)
set(CPACK_COMPONENT_CUDA_GROUP cuda)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Libraries that link each other lie in one folder of the package.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${WARPMARK_PLUGIN_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME warpmark)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "python3-numpy (>= 1:1.24), python3 (>= ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}), python3 (<< ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}.999)")
# NVRTC: from the package beside it, or from a toolkit of whatever origin.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "warpmark-cuda, libdw1")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME warpmark-mpi)
set(CPACK_DEBIAN_MPI_DESCRIPTION "Cases of warpmark on several processes, by MPI")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "warpmark (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_CUDA_PACKAGE_NAME warpmark-cuda)
set(CPACK_DEBIAN_CUDA_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_CUDA_DESCRIPTION "NVRTC and CUDA's headers for warpmark, under NVIDIA's licence")
include(CPack)
