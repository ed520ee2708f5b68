# A CMake toolchain file: this system's compiler, the glibc of WARPMARK_SYSROOT (see sysroot.sh), and
# every C++ library as a static one, so that what is built runs on any x86-64 Linux of that glibc or
# a newer one.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WARPMARK_SYSROOT)
if(NOT WARPMARK_SYSROOT)
  set(WARPMARK_SYSROOT $ENV{WARPMARK_SYSROOT})
endif()
set(_library ${WARPMARK_SYSROOT}/usr/lib/x86_64-linux-gnu)
# Sections that nothing reaches are left out (--gc-sections): most of what a static library brings.
set(CMAKE_C_FLAGS_INIT "--sysroot=${WARPMARK_SYSROOT} -ffunction-sections -fdata-sections")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
# GCC looks in its own system's folders first, unless given others. libgcc_s stays the system's: the unwinder
# of a newer GCC asks for functions of a newer glibc, and every system has one.
set(_link "${_library}/old_glibc.o -L${_library} -L${WARPMARK_SYSROOT}/lib/x86_64-linux-gnu -static-libstdc++ -Wl,--as-needed -Wl,--gc-sections -Wl,--exclude-libs,ALL")
foreach(_kind EXE SHARED MODULE)
  set(CMAKE_${_kind}_LINKER_FLAGS_INIT "${_link}")
endforeach()
# Functions that newer glibcs have in libc itself.
set(CMAKE_CXX_STANDARD_LIBRARIES "-lrt -ldl -lpthread -lm")
# The libraries' own CMake packages name shared ones: theirs are taken by name instead.
set(WARPMARK_STATIC_LIBRARIES ${_library})
