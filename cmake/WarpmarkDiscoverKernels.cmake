# Lists the kernels of a target's .cu files, and drafts suites for them.
#
#   warpmark_discover_kernels(TARGET [OUTPUT FOLDER] [PROGRAM TARGET|PATH])
#
# Adds two targets that are built only when they are named:
#   TARGET_kernels  prints the kernels, each with the --kernel that chooses it in `new suite`
#   TARGET_suites   writes a suite for each kernel to OUTPUT (default: `suites` in the current source
#                   folder) and leaves suites that are there already
# Include folders, macros and the language standard are those of the target. PROGRAM is the program
# of the package, or of the project, else the one on PATH. Neither a GPU nor nvcc is needed.

include(${CMAKE_CURRENT_LIST_DIR}/WarpmarkFindProgram.cmake)

function(warpmark_discover_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "OUTPUT;PROGRAM" "")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "warpmark_discover_kernels: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "warpmark_discover_kernels: there is no target ${target}")
  endif()
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT suites)
  endif()
  get_filename_component(output "${ARG_OUTPUT}" ABSOLUTE)
  _warpmark_find_program(program "${ARG_PROGRAM}")

  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(files)
  foreach(source IN LISTS sources)
    if(source MATCHES "\\.cu$")
      get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${folder}")
      list(APPEND files "${path}")
    endif()
  endforeach()
  if(NOT files)
    message(FATAL_ERROR "warpmark_discover_kernels: ${target} has no .cu file")
  endif()

  # CMake writes a file for each language, as properties may depend on it. Without CUDA, that of
  # another language stands for it.
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(base "${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels")
  set(written "${base}.cmake")
  set(list "${base}.cmake")
  foreach(language C CXX CUDA)
    if(language IN_LIST languages)
      set(written "${base}.$<COMPILE_LANGUAGE>.cmake")
      set(list "${base}.${language}.cmake")
    endif()
  endforeach()
  set(includes "$<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>>")
  set(macros "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(options "$<$<BOOL:${includes}>:--include$<SEMICOLON>$<JOIN:${includes},$<SEMICOLON>--include$<SEMICOLON>>>")
  string(APPEND options "$<SEMICOLON>$<$<BOOL:${macros}>:--define$<SEMICOLON>$<JOIN:${macros},$<SEMICOLON>--define$<SEMICOLON>>>")
  get_target_property(standard ${target} CUDA_STANDARD)
  if(NOT standard)
    get_target_property(standard ${target} CXX_STANDARD)
  endif()
  if(standard AND standard LESS_EQUAL 20)  # NVRTC knows no later one
    string(APPEND options "$<SEMICOLON>--options=-std=c++${standard}")
  endif()
  file(GENERATE OUTPUT "${written}" CONTENT
    "set(options [==[${options}]==])\nset(files [==[${files}]==])\n" TARGET ${target})

  foreach(kind kernels suites)
    if(TARGET ${target}_${kind})
      continue()  # called twice for one target
    endif()
    add_custom_target(${target}_${kind}
      COMMAND ${CMAKE_COMMAND} -D "program=${program}" -D "output=${output}" -D "kind=${kind}"
        -D "list=${list}" -P "${_WARPMARK_DRAFT_SUITES}"
      USES_TERMINAL VERBATIM)
  endforeach()
endfunction()

set(_WARPMARK_DRAFT_SUITES ${CMAKE_CURRENT_LIST_DIR}/WarpmarkDraftSuites.cmake)
