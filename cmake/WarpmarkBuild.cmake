# How every target of the project is built: language level, warnings, sanitizers, places of the outputs.

include(GNUInstallDirs)
include(WarpmarkShortBuild)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(WARPMARK_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/warpmark)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Without debug information, which makes a build half as long again and a program forty times as
# large; -DCMAKE_BUILD_TYPE=RelWithDebInfo has it. CMake's own -O3 gains nothing here.
if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()

# The build ID tells one build from another: grades keep it. Most compilers ask for it by themselves.
add_link_options(-Wl,--build-id=sha1)
# Neither debug information nor assertions name the folder that we are built in.
add_compile_options(-ffile-prefix-map=${PROJECT_BINARY_DIR}=./build
                    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
# A Python outside the loader's path must be found by an installed program, too.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

if(WARPMARK_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "WARPMARK_FUZZ needs Clang, for libFuzzer: -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang")
  endif()
  set(WARPMARK_SANITIZE fuzzer-no-link,address,undefined)
endif()
if(WARPMARK_SANITIZE)
  add_compile_options(-fsanitize=${WARPMARK_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WARPMARK_SANITIZE})
endif()

if(WARPMARK_COVERAGE)
  # Counters in a mapped file (%c), which the end of a killed process does not take away: four for each
  # program and library (%4m), as processes on one file wait for each other's cache lines. Their place
  # is compiled in, as tests start programs with environments of their own.
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "WARPMARK_COVERAGE needs Clang: cmake --preset coverage")
  endif()
  add_compile_options(-fprofile-instr-generate=${CMAKE_BINARY_DIR}/profiles/%4m%c.profraw
                      -fcoverage-mapping "SHELL:-mllvm -runtime-counter-relocation")
  add_link_options(-fprofile-instr-generate)
endif()

# GCC collects garbage from 128 MB on, a seventh of the time of our files; four compilations of these
# take 4 GB without.
cmake_host_system_information(RESULT _memory_mib QUERY TOTAL_PHYSICAL_MEMORY)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND _memory_mib GREATER 12000)
  add_compile_options("SHELL:--param ggc-min-heapsize=1000000")
endif()

# Warnings travel as a target, so that only our own code gets them.
add_library(warpmark_warnings INTERFACE)
target_compile_options(warpmark_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  -Wcast-align -Wimplicit-fallthrough
  "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Woverloaded-virtual>"
  $<$<BOOL:${WARPMARK_WERROR}>:-Werror>)
if(WARPMARK_SANITIZE)  # each of our programs links that target
  set(_sanitizer_defaults ${PROJECT_SOURCE_DIR}/cmake/sanitizer_defaults.cpp)
  target_sources(warpmark_warnings INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${_sanitizer_defaults}>)
endif()

# ./bootstrap fills build/deps only, and the program looks for NVRTC in ../deps of its folder: the
# build folders of other presets get a link.
if(NOT CMAKE_BINARY_DIR STREQUAL "${PROJECT_SOURCE_DIR}/build"
   AND NOT EXISTS ${CMAKE_BINARY_DIR}/deps AND NOT IS_SYMLINK ${CMAKE_BINARY_DIR}/deps)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/build/deps ${CMAKE_BINARY_DIR}/deps SYMBOLIC)
endif()

# warpmark_library(NAME [RUNS_ONCE] SOURCES ... DEPENDS ...)
# A static library from a folder of harness/, built as warpmark_NAME.
function(warpmark_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "RUNS_ONCE" "" "SOURCES;DEPENDS")
  add_library(warpmark_${name} STATIC ${ARG_SOURCES})
  target_include_directories(warpmark_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/harness ${PROJECT_SOURCE_DIR}/harness/include)
  target_link_libraries(warpmark_${name} PUBLIC ${ARG_DEPENDS} PRIVATE warpmark_warnings)
  warpmark_compile_together(warpmark_${name})
  if(ARG_RUNS_ONCE)
    warpmark_runs_once(warpmark_${name})
    warpmark_use_headers(warpmark_${name} warpmark_common_headers_once)
  else()
    target_compile_options(warpmark_${name} PRIVATE ${warpmark_harness_options})
    warpmark_use_headers(warpmark_${name} warpmark_common_headers)
  endif()
endfunction()

# warpmark_plugin(NAME SOURCES ...)
# A plan plugin, warpmark-plugin-NAME.so, which sees the public headers only and is installed.
function(warpmark_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES")
  add_library(warpmark-plugin-${name} MODULE ${ARG_SOURCES})
  set_target_properties(warpmark-plugin-${name} PROPERTIES
    PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${WARPMARK_PLUGIN_OUTPUT_DIRECTORY})
  target_include_directories(warpmark-plugin-${name} PRIVATE ${PROJECT_SOURCE_DIR}/harness/include)
  target_link_libraries(warpmark-plugin-${name}
    PRIVATE nlohmann_json::nlohmann_json warpmark_warnings)
  warpmark_compile_together(warpmark-plugin-${name})
  set_property(GLOBAL APPEND PROPERTY WARPMARK_INSTALLED_PLUGINS warpmark-plugin-${name})
endfunction()

# warpmark_unit_test(NAME SOURCES ... LIBRARIES ... LABELS ...)
# One GoogleTest program, registered with ctest as unit.NAME.
function(warpmark_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LIBRARIES;LABELS")
  add_executable(test_${name} ${ARG_SOURCES})
  set_target_properties(test_${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest warpmark_gtest_main
    GTest::gmock warpmark_base warpmark_warnings)
  target_compile_definitions(test_${name} PRIVATE
    WARPMARK_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WARPMARK_BINARY_DIR="${CMAKE_BINARY_DIR}")
  warpmark_compile_together(test_${name})
  warpmark_use_headers(test_${name} warpmark_unit_test_headers)
  add_test(NAME unit.${name} COMMAND test_${name})
  set_tests_properties(unit.${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${test_timeout_s}
    ENVIRONMENT_MODIFICATION "${test_cache}" SKIP_RETURN_CODE 77)
endfunction()
