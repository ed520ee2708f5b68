#!/usr/bin/env bash
# Makes portable wheels of Warpmark: for any x86-64 Linux with glibc 2.31 or newer.
#
# Usage: packaging/wheel.sh [--python PYTHON]... [--sysroot FOLDER] [OUTPUT_DIR]
#
# One wheel for each PYTHON, by default for python3. OUTPUT_DIR is dist by default. The wheels share a
# build folder, build/portable, in which a further PYTHON costs a minute: what depends on it is
# compiled again, and nothing else. Needs what ./bootstrap installs, apt-get, and PyPI; PYTHON itself
# needs its headers, and neither pip nor a network.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
pythons=()
sysroot=$root/build/deps/glibc-2.31
tools=$root/build/deps/packaging
build=$root/build/portable
output=dist
while (($#)); do
  case $1 in
    --python) pythons+=("$2"); shift ;;
    --sysroot) sysroot=$2; shift ;;
    -*) echo "wheel.sh: error: unknown option: $1" >&2; exit 2 ;;
    *) output=$1 ;;
  esac
  shift
done
if ((${#pythons[@]} == 0)); then pythons=(python3); fi
for python in "${pythons[@]}"; do
  "$python" -I -c 'import os, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
if sys.version_info < (3, 10): sys.exit("Python %d.%d is older than 3.10" % sys.version_info[:2])
if not os.path.exists(header): sys.exit("it has no headers: there is no " + header)' ||
    { echo "wheel.sh: error: no wheel can be made for $python" >&2; exit 3; }
done
mkdir -p "$output" "$(dirname "$tools")"
output=$(cd "$output" && pwd)
"$here/sysroot.sh" "$sysroot"

work=$(mktemp -d "$(dirname "$tools")/.part.XXXXXX")
trap 'rm -rf "$work"' EXIT
stamp=$(sha256sum "$here/requirements.txt" | cut -d ' ' -f 1)
if [[ ! -f $tools/stamp || $(<"$tools/stamp") != "$stamp" ]]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes \
    --only-binary :all: --target "$work/tools" --requirement "$here/requirements.txt"
  echo "$stamp" >"$work/tools/stamp"
  rm -rf "$tools"
  mv "$work/tools" "$tools"
fi

"$here/notices.sh" --pybind11 "$(ls "$tools"/pybind11-*.dist-info/licenses/LICENSE)" >"$work/notices"
if ! cmp -s "$work/notices" "$build/THIRD_PARTY_NOTICES"; then
  mkdir -p "$build"
  cp "$work/notices" "$build/THIRD_PARTY_NOTICES"
fi

for python in "${pythons[@]}"; do
  # CMake remembers the Python of the last wheel; ninja compares commands, and keeps what they made.
  rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles" "$work/made" "$work/repaired"
  (cd "$root" && WARPMARK_SYSROOT=$sysroot WARPMARK_CUDA_HOME=$tools \
    CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$here/portable.cmake -DWARPMARK_NOTICES=$build/THIRD_PARTY_NOTICES" \
    "$python" -I - "$tools" "$build" "$work/made" >"$work/log" 2>&1 <<'END') ||
import sys
sys.path.insert(0, sys.argv[1])
from scikit_build_core.build import build_wheel
build_wheel(sys.argv[3], {"build-dir": sys.argv[2]})
END
    { tail -n 60 "$work/log" >&2; echo "wheel.sh: error: the build for $python failed" >&2; exit 1; }
  PATH=$tools/bin:$PATH PYTHONPATH=$tools python3 -m auditwheel repair --plat manylinux_2_31_x86_64 \
    --wheel-dir "$work/repaired" "$work"/made/warpmark-*.whl >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; echo "wheel.sh: error: what $python made is not portable" >&2; exit 1; }
  mv --verbose "$work"/repaired/warpmark-*.whl "$output/"
done
