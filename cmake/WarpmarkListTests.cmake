# The part of warpmark_discover_tests that runs inside ctest: lists the cases and adds a test for each.
cmake_minimum_required(VERSION 3.25)

# Sets `out` to true unless CALL.list.cmake is younger than everything that it was made from.
function(_warpmark_is_stale out)
  set(${out} TRUE PARENT_SCOPE)
  if(NOT EXISTS "${ARG_CALL}.list.cmake" OR NOT EXISTS "${ARG_CALL}.stamp")
    return()
  endif()
  set(inputs "${ARG_CALL}.cmake" "${CMAKE_CURRENT_FUNCTION_LIST_FILE}" "${ARG_PROGRAM}")
  foreach(suite IN LISTS ARG_SUITES)
    if(IS_DIRECTORY "${suite}")
      return()  # a file may have come to it anywhere
    endif()
    list(APPEND inputs "${suite}")
  endforeach()
  file(STRINGS "${ARG_CALL}.inputs" named)
  foreach(input IN LISTS inputs named)
    # Also true of files that are not there, and of equal times.
    if("${input}" IS_NEWER_THAN "${ARG_CALL}.stamp")
      return()
    endif()
  endforeach()
  set(${out} FALSE PARENT_SCOPE)
endfunction()

# Runs `list --json` on the suites given after the names; sets `out` to its JSON, `error` to what went
# wrong.
function(_warpmark_run_list out error)
  set(${out} "" PARENT_SCOPE)
  if(NOT EXISTS "${ARG_PROGRAM}")
    set(${error} "${ARG_PROGRAM} does not exist; build it first" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND "${ARG_PROGRAM}" list --json ${ARGN}
    WORKING_DIRECTORY "${ARG_WORKING_DIRECTORY}" TIMEOUT 120
    RESULT_VARIABLE result OUTPUT_VARIABLE json ERROR_VARIABLE words)
  if(NOT result STREQUAL 0)
    set(${error} "`${ARG_PROGRAM} list --json ${ARGN}` ended with ${result}:\n${words}" PARENT_SCOPE)
    return()
  endif()
  set(${out} "${json}" PARENT_SCOPE)
  set(${error} "" PARENT_SCOPE)
endfunction()

# Appends an add_test to `tests` of the caller.
macro(_warpmark_add_test name)
  set(_command)
  foreach(_word ${ARGN})
    string(APPEND _command " [==[${_word}]==]")
  endforeach()
  string(APPEND tests "add_test([==[${name}]==]${_command})\n"
    "set_tests_properties([==[${name}]==] PROPERTIES SKIP_RETURN_CODE 77"
    " TIMEOUT [==[${ARG_TIMEOUT}]==] WORKING_DIRECTORY [==[${ARG_WORKING_DIRECTORY}]==]"
    " LABELS [==[${ARG_LABELS}]==])\n")
endmacro()

# Turns the JSON of `list` into `tests` and `inputs` of the caller; sets `error` to what it lacks.
function(_warpmark_read_list json error)
  set(${error} "`list --json` printed no list of suites:\n${json}" PARENT_SCOPE)
  string(JSON count ERROR_VARIABLE failed LENGTH "${json}" suites)
  if(failed OR count EQUAL 0)
    return()
  endif()
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON file ERROR_VARIABLE no_file GET "${json}" suites ${index} file)
    string(JSON cases ERROR_VARIABLE no_cases GET "${json}" suites ${index} cases)
    if(no_file OR no_cases)
      return()
    endif()
    get_filename_component(file "${file}" ABSOLUTE BASE_DIR "${ARG_WORKING_DIRECTORY}")
    list(APPEND inputs "${file}")
    string(JSON input_count ERROR_VARIABLE no_inputs LENGTH "${json}" suites ${index} inputs)
    if(NOT no_inputs AND input_count GREATER 0)
      math(EXPR last_input "${input_count} - 1")
      foreach(input_index RANGE ${last_input})
        string(JSON input GET "${json}" suites ${index} inputs ${input_index})
        get_filename_component(input "${input}" ABSOLUTE BASE_DIR "${ARG_WORKING_DIRECTORY}")
        list(APPEND inputs "${input}")
      endforeach()
    endif()
    # One string(JSON) for each case would take quadratic time; ids need no unescaping.
    string(JSON case_count LENGTH "${cases}")
    string(REGEX MATCHALL "\"id\"[ \t\r\n]*:[ \t\r\n]*\"[A-Za-z0-9_/=,.~]+\"" ids "${cases}")
    list(LENGTH ids id_count)
    if(NOT id_count EQUAL case_count OR case_count EQUAL 0)
      set(${error} "${file}: ${id_count} case ids of ${case_count} cases were understood in:\n${cases}"
        PARENT_SCOPE)
      return()
    endif()
    foreach(id IN LISTS ids)
      string(REGEX REPLACE "^\"id\"[ \t\r\n]*:[ \t\r\n]*\"(.*)\"$" "\\1" id "${id}")
      _warpmark_add_test("${ARG_PREFIX}${id}" "${ARG_PROGRAM}" check "${file}" --case "${id}"
        --device "${ARG_DEVICE}")
    endforeach()
  endforeach()
  set(tests "${tests}" PARENT_SCOPE)
  set(inputs "${inputs}" PARENT_SCOPE)
  set(${error} "" PARENT_SCOPE)
endfunction()

# Writes the file at once, because another ctest may be reading it.
function(_warpmark_write path text)
  string(RANDOM LENGTH 8 unique)
  file(WRITE "${path}.${unique}" "${text}")
  file(RENAME "${path}.${unique}" "${path}")
endfunction()

# Makes CALL.list.cmake and what _warpmark_is_stale looks at.
function(_warpmark_refresh)
  set(tests "")
  set(inputs)
  # Before the files are read: a change while they are is then seen as a change.
  string(RANDOM LENGTH 8 unique)
  set(stamp "${ARG_CALL}.stamp.${unique}")
  file(WRITE "${stamp}" "")

  _warpmark_run_list(json error ${ARG_SUITES})
  if(NOT error)
    _warpmark_read_list("${json}" error)
  endif()
  set(complete TRUE)
  if(error)
    # One by one, so that a bad suite takes no good one with it.
    set(complete FALSE)
    set(number 0)
    foreach(suite IN LISTS ARG_SUITES)
      _warpmark_run_list(json error "${suite}")
      if(NOT error)
        _warpmark_read_list("${json}" error)
      endif()
      if(error)
        math(EXPR number "${number} + 1")
        _warpmark_write("${ARG_CALL}.error_${number}.txt" "${error}\n")
        file(RELATIVE_PATH name "${ARG_SOURCE_FOLDER}" "${suite}")
        string(REGEX REPLACE "\\.yaml$" "" name "${name}")
        _warpmark_add_test("${ARG_PREFIX}${name}_NOT_DISCOVERED" "${ARG_CMAKE}"
          "-DERROR=${ARG_CALL}.error_${number}.txt" -P "${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
      endif()
    endforeach()
  endif()
  list(JOIN inputs "\n" inputs)
  _warpmark_write("${ARG_CALL}.inputs" "${inputs}\n")
  _warpmark_write("${ARG_CALL}.list.cmake" "${tests}")
  if(complete)
    file(RENAME "${stamp}" "${ARG_CALL}.stamp")
  else()
    file(REMOVE "${stamp}" "${ARG_CALL}.stamp")
  endif()
endfunction()

# Adds the tests of one call of warpmark_discover_tests; lists are given as one argument each.
function(warpmark_list_tests)
  cmake_parse_arguments(PARSE_ARGV 0 ARG ""
    "CALL;CMAKE;PROGRAM;DEVICE;PREFIX;LABELS;TIMEOUT;WORKING_DIRECTORY;SOURCE_FOLDER;SUITES" "")
  _warpmark_is_stale(stale)
  if(stale)
    _warpmark_refresh()
  endif()
  include("${ARG_CALL}.list.cmake")
endfunction()

# As the command of a failing test: shows why there are no others.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE AND DEFINED ERROR)
  file(READ "${ERROR}" words)
  message("${words}")
  message(FATAL_ERROR "The cases of this suite could not be listed.")
endif()
