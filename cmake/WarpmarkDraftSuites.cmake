# Runs `warpmark new suite` for the files of a target: a script of warpmark_discover_kernels().
# Wants program, list (with `files` and `options`), kind (kernels or suites) and output.

include("${list}")
set(arguments)
set(name "")
foreach(option IN LISTS options)
  # Compilers ignore a folder of headers that is not there.
  if(name STREQUAL "--include" AND IS_DIRECTORY "${option}")
    list(APPEND arguments --include "${option}")
  elseif(NOT name STREQUAL "--include" AND NOT option MATCHES "^(--include)?$")
    list(APPEND arguments "${option}")
  endif()
  set(name "${option}")
endforeach()
if(kind STREQUAL "kernels")
  list(APPEND arguments --list)
else()
  list(APPEND arguments --keep --output "${output}")
endif()
execute_process(COMMAND "${program}" new suite ${files} ${arguments} RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "`warpmark new suite` ended with exit code ${code}")
endif()
