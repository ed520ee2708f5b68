#!/usr/bin/env bash
# Prints how each source file is compiled by itself: the compile commands of a build without groups
# of files and precompiled headers, which clang-tidy and editors need.
#
# Usage: single_files.sh SOURCE_DIR BUILD_DIR OUTPUT_DIR
#
# Configures OUTPUT_DIR with the compiler, the Python and the CUDA headers of BUILD_DIR; nothing is
# built. OUTPUT_DIR/compile_commands.json holds the commands.
set -euo pipefail
source=$1 build=$2 output=$3
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

cmake -S "$source" -B "$output" -G Ninja -DWARPMARK_UNITY=OFF \
  "-DCMAKE_CXX_COMPILER=$(cached CMAKE_CXX_COMPILER)" \
  "-DCMAKE_C_COMPILER=$(cached CMAKE_C_COMPILER)" \
  "-DPython3_EXECUTABLE=$(cached WARPMARK_BUILD_PYTHON)" \
  "-DCUDA_HEADERS_INCLUDE_DIR=$(cached CUDA_HEADERS_INCLUDE_DIR)" >"$output.log" 2>&1 ||
  { cat "$output.log" >&2; exit 1; }
rm -f "$output.log"
