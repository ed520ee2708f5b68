# Components that `cmake --install` installs, and their contents:
#   runtime      the program, the CPU device, plugins, the shipped suites, courses and examples, documentation
#   development  the public headers and the CMake package: what others build against
#   mpi          what `mpirun warpmark check` needs, if the build found an MPI
#   cuda         the NVRTC and headers that ./bootstrap put into build/deps, as links if it linked them
#
# The program finds its parts relative to itself (harness/base/places.cpp), and the package finds
# its own relative to the file that is included, so that the whole prefix can be moved.
include(CMakePackageConfigHelpers)

option(WARPMARK_INSTALL_CUDA "Install the NVRTC of build/deps along with the program" ON)

set(_data ${CMAKE_INSTALL_DATADIR}/warpmark)
# A project without a compiler, as one of suites only, does not look below lib/x86_64-linux-gnu.
if(CMAKE_INSTALL_LIBDIR STREQUAL "lib")
  set(_package lib/cmake/warpmark)
else()
  set(_package ${CMAKE_INSTALL_DATADIR}/cmake/warpmark)
endif()

if(NOT SKBUILD)
  install(TARGETS warpmark warpmark-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()
get_property(_libraries GLOBAL PROPERTY WARPMARK_INSTALLED_PLUGINS)
install(TARGETS warpmark_cpu ${_libraries}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpmark COMPONENT runtime)
if(TARGET warpmark_mpi)
  install(TARGETS warpmark_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpmark COMPONENT mpi)
endif()
# Starts any program on the CPU device: see docs/cpu-device.md.
install(PROGRAMS plugins/cpu/run/warpmark-cpu DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(PROGRAMS plugins/cpu/run/nvcc plugins/cpu/run/ld
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpmark/cpu/bin COMPONENT runtime)
install(PROGRAMS plugins/cpu/run/ptxas
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpmark/cpu/triton COMPONENT runtime)
install(FILES ${CMAKE_BINARY_DIR}/lib/warpmark/cpu/triton/ptxas-blackwell
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpmark/cpu/triton COMPONENT runtime)
if(SKBUILD)
  install(PROGRAMS $<TARGET_FILE:warpmark_cpu_named> RENAME libcuda.so.1
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpmark/cpu COMPONENT runtime)
else()
  install(FILES ${CMAKE_BINARY_DIR}/lib/warpmark/cpu/libcuda.so.1
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpmark/cpu COMPONENT runtime)
endif()
install(DIRECTORY plugins/cpu/run/include plugins/cpu/run/python DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpmark/cpu
  COMPONENT runtime)
get_property(_stand_ins GLOBAL PROPERTY WARPMARK_STAND_INS)
install(TARGETS warpmark_cpu_linked warpmark_cpu_redirect ${_stand_ins}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpmark/cpu COMPONENT runtime)
if(TARGET warpmark_cudart_13)
  install(TARGETS warpmark_cudart_12 warpmark_cudart_13
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpmark/cpu COMPONENT runtime)
endif()
# `warpmark examples` copies from these, and README and guides name them.
foreach(_folder suites courses configs examples schema)
  install(DIRECTORY ${_folder} DESTINATION ${_data} COMPONENT runtime
    PATTERN __pycache__ EXCLUDE)
endforeach()
# A configuration compares with it.
install(FILES results/cpu/regression.baseline DESTINATION ${_data}/results/cpu COMPONENT runtime)
# The files that the pages link to; a third of a megabyte of records serves the repository's tests alone.
install(DIRECTORY docs results DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime
  PATTERN results/local EXCLUDE PATTERN "compare_*.jsonl" EXCLUDE PATTERN "bench_share*" EXCLUDE)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
# The licences of the libraries that are linked or compiled in (packaging/notices.sh).
if(WARPMARK_NOTICES)
  install(FILES ${WARPMARK_NOTICES} DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME THIRD_PARTY_NOTICES
    COMPONENT runtime)
endif()

# Asked when installing: only the built program knows its subcommands. A wheel has nowhere to put
# them; `warpmark completion` prints them.
if(NOT SKBUILD)
foreach(_shell_and_file "bash:bash-completion/completions/warpmark" "zsh:zsh/site-functions/_warpmark"
        "fish:fish/vendor_completions.d/warpmark.fish")
  string(REGEX MATCH "^([a-z]+):(.*)/([^/]*)$" _ "${_shell_and_file}")
  set(_shell ${CMAKE_MATCH_1})
  set(_folder ${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_2})
  if(NOT IS_ABSOLUTE "${_folder}")
    set(_folder "\${CMAKE_INSTALL_PREFIX}/${_folder}")
  endif()
  set(_file "${CMAKE_BINARY_DIR}/completion/${_shell}/${CMAKE_MATCH_3}")
  install(CODE "
    execute_process(COMMAND \"$<TARGET_FILE:warpmark>\" completion ${_shell}
      RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_QUIET)
    if(result EQUAL 0 AND NOT text STREQUAL \"\")
      file(WRITE \"${_file}\" \"\${text}\")
      file(INSTALL DESTINATION \"${_folder}\" TYPE FILE FILES \"${_file}\")
    endif()" COMPONENT runtime)
endforeach()
endif()

if(WARPMARK_INSTALL_CUDA)
  # Files that ./bootstrap linked to a toolkit are copied, as far as they are needed, so that the
  # installed tree can go to a machine without a toolkit.
  install(CODE "set(WARPMARK_CUDA \"${PROJECT_SOURCE_DIR}/build/deps/cuda\")
    set(WARPMARK_CUDA_DESTINATION \"${CMAKE_INSTALL_LIBDIR}/warpmark/cuda\")" COMPONENT cuda)
  install(SCRIPT cmake/InstallCuda.cmake COMPONENT cuda)
endif()

install(DIRECTORY harness/include/warpmark DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development)
# The program as seen from the package; package and program are moved together.
set(WARPMARK_INSTALLED_PROGRAM ${CMAKE_INSTALL_FULL_BINDIR}/warpmark)
set(WARPMARK_INSTALLED_HEADERS ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_package_config_file(cmake/warpmarkConfig.cmake.in ${CMAKE_BINARY_DIR}/warpmarkConfig.cmake
  INSTALL_DESTINATION ${_package}
  PATH_VARS WARPMARK_INSTALLED_PROGRAM WARPMARK_INSTALLED_HEADERS
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change an interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/warpmarkConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/warpmarkConfig.cmake
  ${CMAKE_BINARY_DIR}/warpmarkConfigVersion.cmake cmake/WarpmarkAddPlugin.cmake
  cmake/WarpmarkDiscoverTests.cmake cmake/WarpmarkListTests.cmake
  cmake/WarpmarkDiscoverKernels.cmake cmake/WarpmarkDraftSuites.cmake
  cmake/WarpmarkFindProgram.cmake
  DESTINATION ${_package} COMPONENT development)
