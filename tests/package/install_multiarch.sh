#!/usr/bin/env bash
# Builds Warpmark for a prefix whose libraries lie in lib/x86_64-linux-gnu, then runs install_test.py.
#
# Usage: install_multiarch.sh SOURCE_DIR CMAKE PYTHON. The build is made in a temporary folder, which
# has a space in its name and is no part of the source tree.
set -euo pipefail
source_dir=$(cd "$1" && pwd)
cmake=$2 python=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/warpmark multiarch.XXXXXX")
trap 'rm -rf "$work"' EXIT

"$cmake" -S "$source_dir" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib/x86_64-linux-gnu
"$cmake" --build "$work/build"
WARPMARK_TEST_LONG=1 WARPMARK_BINARY_DIR="$work/build" \
  "$python" -B "$(dirname "${BASH_SOURCE[0]}")/install_test.py"
