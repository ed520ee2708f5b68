# Runs `warpmark new suite` for the files of a target: a script of warpmark_discover_kernels().
# Wants program, list (with `files` and `options`), kind (kernels or suites) and output.

include("${list}")
list(REMOVE_ITEM options "")
if(kind STREQUAL "kernels")
  list(APPEND options --list)
else()
  list(APPEND options --keep --output "${output}")
endif()
execute_process(COMMAND "${program}" new suite ${files} ${options} RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "`warpmark new suite` ended with exit code ${code}")
endif()
