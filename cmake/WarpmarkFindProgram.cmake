# The program that a call of warpmark_discover_tests() or warpmark_discover_kernels() runs.

# Sets `result` to the program's file: of `wanted`, a target or a path, or if that is empty of the
# package or the project, else the one on PATH.
function(_warpmark_find_program result wanted)
  if(NOT wanted AND TARGET warpmark::warpmark)
    set(wanted warpmark::warpmark)
  elseif(NOT wanted)
    find_program(WARPMARK_PROGRAM warpmark DOC "The program that checks kernel suites" REQUIRED)
    set(wanted "${WARPMARK_PROGRAM}")
  endif()
  if(TARGET ${wanted})
    set(program "$<TARGET_FILE:${wanted}>")
  else()
    get_filename_component(program "${wanted}" ABSOLUTE)
  endif()
  set(${result} "${program}" PARENT_SCOPE)
endfunction()
