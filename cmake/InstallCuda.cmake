# At installation: copies NVRTC and CUDA's headers from WARPMARK_CUDA, the folder
# that ./bootstrap filled or linked to a toolkit, to WARPMARK_CUDA_DESTINATION below the prefix.
if(NOT EXISTS "${WARPMARK_CUDA}/include")
  return()
endif()
if(NOT IS_ABSOLUTE "${WARPMARK_CUDA_DESTINATION}")
  set(WARPMARK_CUDA_DESTINATION "${CMAKE_INSTALL_PREFIX}/${WARPMARK_CUDA_DESTINATION}")
endif()
file(GLOB _libraries "${WARPMARK_CUDA}/lib/libnvrtc.so.*" "${WARPMARK_CUDA}/lib/libnvrtc-builtins.so.*")
foreach(_library IN LISTS _libraries)
  # Under the name that is looked for, libnvrtc.so.13 or libnvrtc-builtins.so.13.0, once.
  get_filename_component(_name "${_library}" NAME)
  if(_name MATCHES "^libnvrtc\\.so\\.[0-9]+$" OR _name MATCHES "^libnvrtc-builtins\\.so\\.[0-9]+\\.[0-9]+$")
    get_filename_component(_real "${_library}" REALPATH)
    file(INSTALL DESTINATION "${WARPMARK_CUDA_DESTINATION}/lib" TYPE FILE FILES "${_real}"
      RENAME "${_name}")
  endif()
endforeach()
if(EXISTS "${WARPMARK_CUDA}/licenses")  # of the wheels that ./bootstrap fetched
  file(INSTALL DESTINATION "${WARPMARK_CUDA_DESTINATION}" TYPE DIRECTORY FILES "${WARPMARK_CUDA}/licenses")
endif()
get_filename_component(_include "${WARPMARK_CUDA}/include" REALPATH)
file(INSTALL DESTINATION "${WARPMARK_CUDA_DESTINATION}/include" TYPE DIRECTORY FILES "${_include}/")
