# Builds a plugin of Warpmark, and makes it known to the tests that are discovered.
#
#   warpmark_add_plugin(NAME SOURCE...)
#
# The target is warpmark-plugin-NAME, the library warpmark-plugin-NAME.so in lib/warpmark of the build
# folder: `WARPMARK_PLUGIN_PATH=build/lib/warpmark warpmark check SUITE` uses it, and so does each test
# of warpmark_discover_tests() in the same project, whichever of the two is called first.

function(warpmark_add_plugin name)
  if(NOT name MATCHES "^[A-Za-z0-9_-]+$")
    message(FATAL_ERROR "warpmark_add_plugin: `${name}` is no name of a plugin: use letters, digits, "
      "`_` and `-`")
  endif()
  if(NOT ARGN)
    message(FATAL_ERROR "warpmark_add_plugin(${name}): no source file is given")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(only_c ${ARGN})
  list(FILTER only_c EXCLUDE REGEX "\\.(c|h)$")
  if(only_c AND NOT "CXX" IN_LIST languages)
    message(FATAL_ERROR "warpmark_add_plugin(${name}): C++ is not enabled; write "
      "project(${PROJECT_NAME} LANGUAGES CXX)")
  endif()
  if(only_c AND NOT TARGET nlohmann_json::nlohmann_json)
    message(FATAL_ERROR "warpmark_add_plugin(${name}): warpmark/plugin.hpp needs nlohmann-json 3, "
      "which find_package(nlohmann_json) does not find; install it (Debian: nlohmann-json3-dev) or "
      "add its folder to CMAKE_PREFIX_PATH")
  endif()
  set(folder "${CMAKE_BINARY_DIR}/lib/warpmark")
  if(folder MATCHES ":")
    message(FATAL_ERROR "warpmark_add_plugin(${name}): ${folder} has a `:`, which separates folders "
      "in WARPMARK_PLUGIN_PATH; build elsewhere")
  endif()

  set(target warpmark-plugin-${name})
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX .so
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN TRUE
    LIBRARY_OUTPUT_DIRECTORY "${folder}")
  if(only_c)
    target_compile_features(${target} PRIVATE cxx_std_17)
    target_link_libraries(${target} PRIVATE warpmark::plugin)
  else()
    target_include_directories(${target} SYSTEM PRIVATE
      "$<TARGET_PROPERTY:warpmark::plugin,INTERFACE_INCLUDE_DIRECTORIES>")
  endif()

  # warpmark_discover_tests() reads it when CMake generates, so that the order of calls is free.
  if(NOT TARGET _warpmark_plugins)
    add_library(_warpmark_plugins INTERFACE IMPORTED GLOBAL)
  endif()
  set_property(TARGET _warpmark_plugins APPEND PROPERTY WARPMARK_PLUGIN_FOLDERS
    "$<TARGET_FILE_DIR:${target}>")
endfunction()
