# Makes each case of kernel suites a test of ctest.
#
#   warpmark_discover_tests(SUITE... [PER case|suite] [DEVICE auto|gpu|cpu|NAME] [LABELS LABEL...]
#     [PREFIX TEXT] [TIMEOUT SECONDS] [PROPERTIES NAME VALUE ...] [WORKING_DIRECTORY FOLDER]
#     [PROGRAM TARGET|PATH] [SKIP_WITHOUT_DEVICE] [RESOURCE] [OWN_START])
#
# A SUITE is a .yaml file or a folder of them, relative to the current source folder. A test's name
# is PREFIX and then the case id, unchanged; it runs `PROGRAM check SUITE --case ID --device DEVICE`
# in WORKING_DIRECTORY (default: the current binary folder) and is skipped where the case is.
# PER suite makes one test for each suite file instead, PREFIX and then the suite's name, which is
# skipped where all of its cases are.
# Starting the program takes longer than most cases. So the second test of a suite that a ctest
# starts runs further cases of it, for two seconds, and leaves their results in a folder beside the
# list of tests, from which the tests of these cases take them: `check --share`. With OWN_START each
# test runs its own case only.
# With SKIP_WITHOUT_DEVICE it is also skipped on a machine that has no such device, which fails else.
# With RESOURCE each test needs one slot of a resource of type `gpus`, and takes the device that
# ctest gives it: `ctest --resource-spec-file FILE`, from `warpmark devices --resource-spec`.
# PROGRAM is the program of the package, or of the project, else the one on PATH. TIMEOUT is 300
# seconds for each test. PROPERTIES are any others that ctest knows, as in WILL_FAIL TRUE.
# Plugins of warpmark_add_plugin() are found through WARPMARK_PLUGIN_PATH, which the tests get.
#
# The cases are listed when ctest starts, not when CMake configures or builds: the list is made anew
# whenever a suite, a file that it names, its plugin or the program changed since, so that no case is
# missing and none is left over. A suite that cannot be loaded takes no other away: it is a failing
# test, PREFIX + its name + _NOT_DISCOVERED (PER suite: without that end), that shows the reason.

include(${CMAKE_CURRENT_LIST_DIR}/WarpmarkFindProgram.cmake)
set(_WARPMARK_LIST_TESTS ${CMAKE_CURRENT_LIST_DIR}/WarpmarkListTests.cmake)

function(warpmark_discover_tests)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "SKIP_WITHOUT_DEVICE;RESOURCE;OWN_START"
    "PROGRAM;DEVICE;PREFIX;WORKING_DIRECTORY;TIMEOUT;PER" "LABELS;PROPERTIES")
  set(suites)
  foreach(suite IN LISTS ARG_UNPARSED_ARGUMENTS)
    get_filename_component(path "${suite}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "warpmark_discover_tests: there is no ${path}")
    endif()
    # ctest would take two tests of one name, and select and report them as one.
    get_property(known GLOBAL PROPERTY _WARPMARK_DISCOVERED)
    if("${ARG_PREFIX}|${path}" IN_LIST known)
      message(FATAL_ERROR "warpmark_discover_tests: ${path} is discovered twice; "
        "give one of the calls another PREFIX")
    endif()
    set_property(GLOBAL APPEND PROPERTY _WARPMARK_DISCOVERED "${ARG_PREFIX}|${path}")
    list(APPEND suites "${path}")
  endforeach()
  if(NOT suites)
    message(FATAL_ERROR "warpmark_discover_tests: no suite is given")
  endif()

  if(NOT ARG_PER)
    set(ARG_PER case)
  elseif(NOT ARG_PER MATCHES "^(case|suite)$")
    message(FATAL_ERROR "warpmark_discover_tests: PER is `case` or `suite`, not `${ARG_PER}`")
  endif()
  list(LENGTH ARG_PROPERTIES words)
  math(EXPR odd "${words} % 2")
  if(odd)
    message(FATAL_ERROR "warpmark_discover_tests: PROPERTIES are pairs of a name and a value, and "
      "these are ${words} words: ${ARG_PROPERTIES}")
  endif()
  set(properties "")
  set(environment_changes "")  # joined with our own, since a property is set only once
  set(name "")
  foreach(word IN LISTS ARG_PROPERTIES)
    if(name STREQUAL "")
      set(name "${word}")
      continue()
    elseif(name STREQUAL "ENVIRONMENT_MODIFICATION")
      set(environment_changes "${word}")
    else()
      string(APPEND properties " [==[${name}]==] [==[${word}]==]")
    endif()
    set(name "")
  endforeach()

  _warpmark_find_program(program "${ARG_PROGRAM}")
  if(NOT ARG_DEVICE)
    set(ARG_DEVICE auto)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(ARG_TIMEOUT LESS 20)  # seconds, of which other cases may take seven
    set(ARG_OWN_START TRUE)
  endif()
  if(NOT ARG_WORKING_DIRECTORY)
    set(ARG_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  get_filename_component(ARG_WORKING_DIRECTORY "${ARG_WORKING_DIRECTORY}" ABSOLUTE)

  # Calls of one folder are numbered.
  get_property(number DIRECTORY PROPERTY _WARPMARK_CALLS)
  if(NOT number)
    set(number 0)
  endif()
  math(EXPR number "${number} + 1")
  set_property(DIRECTORY PROPERTY _WARPMARK_CALLS ${number})
  set(base "${CMAKE_CURRENT_BINARY_DIR}/warpmark_tests_${number}")

  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(multi_config)
    set(configured "${base}-$<CONFIG>")
    # The program differs by configuration, so ctest must know which: `ctest -C CONFIG`.
    file(WRITE "${base}.cmake" "set(_warpmark_config \"${base}-\${CTEST_CONFIGURATION_TYPE}.cmake\")
if(EXISTS \"\${_warpmark_config}\")
  include(\"\${_warpmark_config}\")
else()
  add_test([==[${ARG_PREFIX}warpmark_tests_${number}_NOT_DISCOVERED]==]
    [==[${CMAKE_COMMAND}]==] -E cat \"say which configuration: ctest -C CONFIG\")
endif()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${base}.cmake")
  else()
    set(configured "${base}")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${base}.cmake")
  endif()
  if(ARG_RESOURCE)
    string(APPEND properties " RESOURCE_GROUPS gpus:1")
  endif()
  # Only what has a value: newer CMakes warn of keywords without one (CMP0174).
  set(given)
  set(ARG_PROPERTIES "${properties}")
  set(ARG_ENVIRONMENT_CHANGES "${environment_changes}")
  foreach(keyword PREFIX LABELS PROPERTIES ENVIRONMENT_CHANGES)
    if(NOT "${ARG_${keyword}}" STREQUAL "")
      string(APPEND given "  ${keyword} [===[${ARG_${keyword}}]===]\n")
    endif()
  endforeach()
  if(NOT TARGET _warpmark_plugins)  # of warpmark_add_plugin(), which may be called later
    add_library(_warpmark_plugins INTERFACE IMPORTED GLOBAL)
  endif()
  set(folders "$<GENEX_EVAL:$<TARGET_PROPERTY:_warpmark_plugins,WARPMARK_PLUGIN_FOLDERS>>")
  set(plugin_path "$<JOIN:$<REMOVE_DUPLICATES:${folders}>,:>")
  string(APPEND given "$<$<BOOL:${folders}>:  PLUGIN_PATH [==[${plugin_path}]==]\n>")
  file(GENERATE OUTPUT "${configured}.cmake" CONTENT "include([==[${_WARPMARK_LIST_TESTS}]==])
warpmark_list_tests(
  CALL [==[${configured}]==]
  CMAKE [==[${CMAKE_COMMAND}]==]
  PROGRAM [==[${program}]==]
  DEVICE [==[${ARG_DEVICE}]==]
  PER [==[${ARG_PER}]==]
  SKIP_WITHOUT_DEVICE [==[${ARG_SKIP_WITHOUT_DEVICE}]==]
  OWN_START [==[${ARG_OWN_START}]==]
${given}  TIMEOUT [==[${ARG_TIMEOUT}]==]
  WORKING_DIRECTORY [==[${ARG_WORKING_DIRECTORY}]==]
  SOURCE_FOLDER [==[${CMAKE_CURRENT_SOURCE_DIR}]==]
  SUITES [==[${suites}]==])
")
endfunction()
