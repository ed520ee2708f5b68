# Makes a clean build short: most of its time goes into headers and the templates that they
# instantiate (nlohmann/json above all), a cost that files compiled together pay once.

option(WARPMARK_UNITY "Compile several source files at a time, with a precompiled header" ON)

set(WARPMARK_PRESET "" CACHE STRING "The preset of this build folder, which ./bootstrap keeps")

# More makes a clean build shorter (preset once), and the build after a change of one file longer: at
# this size that takes about ten seconds.
set(WARPMARK_UNITY_BYTES 40000 CACHE STRING "Bytes of source that are compiled together")

# warpmark_compile_together(TARGET)
# Groups the target's sources, in their order, for compilation. A file with the source property
# SKIP_UNITY_BUILD_INCLUSION stays out of the groups.
function(warpmark_compile_together target)
  if(NOT WARPMARK_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(group 0)
  set(bytes 0)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(alone)
      continue()
    endif()
    file(REAL_PATH ${source} path)
    file(SIZE ${path} size)
    math(EXPR together "${bytes} + ${size}")
    if(bytes GREATER 0 AND together GREATER WARPMARK_UNITY_BYTES)
      math(EXPR group "${group} + 1")
      set(together ${size})
    endif()
    set(bytes ${together})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# The optimisation of the harness in a release. Less of it makes a clean build shorter (preset once), and
# -Os a package smaller; the devices keep theirs.
set(WARPMARK_HARNESS_LEVEL -O2 CACHE STRING "Optimisation of the harness")
set(WARPMARK_ONCE_LEVEL -O1 CACHE STRING "Optimisation of code that runs once for each command")
set(warpmark_harness_options $<$<CONFIG:Release>:${WARPMARK_HARNESS_LEVEL}>)
set(warpmark_once_options $<$<CONFIG:Release>:${WARPMARK_ONCE_LEVEL}>)

# warpmark_runs_once(TARGET)
# For code that runs once for each command, table or student: -O1 compiles a fifth faster.
function(warpmark_runs_once target)
  target_compile_options(${target} PRIVATE ${warpmark_once_options})
endfunction()

# warpmark_shared_headers(NAME HEADERS ... LIBRARIES ... OPTIONS ...)
# A precompiled header for targets with the same compile options: what most of their files include.
function(warpmark_shared_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "HEADERS;LIBRARIES;OPTIONS")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${name}.cpp CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  target_precompile_headers(${name} PRIVATE <algorithm> <chrono> <filesystem> <functional> <map>
    <memory> <optional> <set> <string> <string_view> <variant> <vector> ${ARG_HEADERS})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} warpmark_warnings)
endfunction()

# warpmark_use_headers(TARGET NAME)
# Gives the target that precompiled header.
function(warpmark_use_headers target name)
  if(WARPMARK_UNITY)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
