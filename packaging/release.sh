#!/usr/bin/env bash
# Makes a release: a folder with wheels, Debian packages, an archive, a container image, the licences
# of what they bundle, and SHA256SUMS of all.
#
# Usage: packaging/release.sh [--output DIR] [--python PYTHON]... [--only KIND]... [--build DIR]
#
#   --output DIR     the folder, which is empty or not there yet (default: build/release)
#   --python PYTHON  make a wheel for it; by default for each Python from 3.10 to 3.14 that is found, by
#                    its name in PATH or among those of pyenv
#   --only KIND      wheel, deb, archive or image, and what it needs; by default all. What cannot be made
#                    is left out with a message, unless it was asked for by --only
#   --build DIR      take the Debian packages from this build folder, instead of making one
#
# From a clean clone it first runs ./bootstrap, which installs what is missing (CI=1: without
# asking). Needs Debian 12, PyPI and the mirror of apt; about half an hour on two cores.
#
# Exit codes: 0 done; 1 something cannot be built; 2 wrong usage; 3 this machine lacks something.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
output=$root/build/release
build=''
pythons=() kinds=()
most_wheel_bytes=12000000

note() { echo "release.sh: $*" >&2; }
fail() { # exit code, text
  note "error: $2"
  exit "$1"
}

while (($#)); do
  case $1 in
    --output | --python | --only | --build) (($# > 1)) || fail 2 "$1 needs a value" ;;
  esac
  case $1 in
    --output) output=$2; shift ;;
    --python) pythons+=("$2"); shift ;;
    --build) build=$2; shift ;;
    --only)
      case $2 in
        wheel | deb | archive | image) kinds+=("$2") ;;
        *) fail 2 "--only cannot be '$2': there are wheel, deb, archive and image" ;;
      esac
      shift
      ;;
    -h | --help)
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail 2 "unknown option: $1" ;;
  esac
  shift
done

wanted() { ((${#kinds[@]} == 0)) || [[ " ${kinds[*]} " == *" $1 "* ]]; }
# Leaves a kind out, or fails where it was asked for.
without() { # kind, reason
  if ((${#kinds[@]})) && wanted "$1"; then fail 3 "no $1: $2"; fi
  note "left out: $1: $2"
}

[[ ! -e $output || -z $(ls -A "$output") ]] ||
  fail 2 "$output has files already, and SHA256SUMS is to name all: choose another folder"
[[ -z $build || -f $build/CPackConfig.cmake ]] || fail 2 "$build is no build folder of Warpmark"
version=$(sed -n 's/^project(warpmark VERSION \([0-9.]*\) .*/\1/p' "$root/CMakeLists.txt")
if git -C "$root" rev-parse --quiet --verify HEAD >/dev/null 2>&1; then
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)} # the dates in packages
  export SOURCE_DATE_EPOCH
  [[ -z $(git -C "$root" status --porcelain) ]] || note "warning: the tree has changes that no commit has"
fi

# --- which Pythons ---

find_python() { # version
  local candidate
  for candidate in "python$1" "$HOME"/.pyenv/versions/"$1".*/bin/python3; do
    # A shim may be there without its Python, and a Python without its headers.
    if "$candidate" -I -c 'import os, sysconfig
assert os.path.exists(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
}
if ((${#pythons[@]} == 0)) && { wanted wheel || wanted archive || wanted image; }; then
  for minor in 10 11 12 13 14; do
    python=$(find_python "3.$minor")
    if [[ -n $python ]]; then
      pythons+=("$python")
    else
      note "left out: the wheel for Python 3.$minor: no such Python with headers; --python names one"
    fi
  done
  ((${#pythons[@]})) || fail 3 'no Python from 3.10 to 3.14 with headers was found; --python names one'
fi

"$root/bootstrap"
mkdir -p "$output"
output=$(cd "$output" && pwd)

# --- wheels, and what is made of them ---

if ((${#pythons[@]})); then
  note "wheels for ${pythons[*]}"
  arguments=()
  for python in "${pythons[@]}"; do arguments+=(--python "$python"); done
  "$here/wheel.sh" "${arguments[@]}" "$output"
  wheels=("$output"/warpmark-*.whl)
  for wheel in "${wheels[@]}"; do
    bytes=$(stat --format=%s "$wheel")
    ((bytes <= most_wheel_bytes)) || fail 1 "$wheel has $bytes bytes, more than $most_wheel_bytes"
  done
fi
if wanted archive; then
  note 'archive'
  "$here/archive.sh" "${wheels[@]}" "$output/warpmark-$version-linux-x86_64.tar.gz"
fi
if wanted image; then
  engine=''
  for candidate in docker podman; do
    if [[ -z $engine ]] && "$candidate" info >/dev/null 2>&1; then engine=$candidate; fi
  done
  if [[ -z $engine ]]; then
    without image 'neither docker nor podman runs here'
  elif ! compgen -G "$output/warpmark-*-cp311-*.whl" >/dev/null; then
    without image 'it has Python 3.11, for which there is no wheel'
  else
    note "image, by $engine"
    "$engine" build --file "$here/Dockerfile" --tag "warpmark:$version" "$output"
    "$engine" save "warpmark:$version" | gzip -n >"$output/warpmark-$version-image.tar.gz"
  fi
fi

# --- Debian packages ---

if wanted deb; then
  note 'Debian packages'
  "$here/notices.sh" >"$output/THIRD_PARTY_NOTICES"
  if [[ -z $build ]]; then
    build=$root/build/deb
    # Not with Python and libraries of a user's environment: Debian's.
    cmake -S "$root" -B "$build" -G Ninja -DBUILD_TESTING=OFF -DPython3_EXECUTABLE=/usr/bin/python3 \
      -DWARPMARK_ONCE_LEVEL=-Os \
      -DWARPMARK_NOTICES="$output/THIRD_PARTY_NOTICES" >/dev/null
    cmake --build "$build" --target product >/dev/null
  fi
  rm -f "$build"/packages/warpmark*.deb # of an earlier version
  cpack --config "$build/CPackConfig.cmake" -B "$build/packages" >/dev/null
  cp "$build"/packages/warpmark*.deb "$output/"
fi

# --- what belongs to all ---

cp "$root/LICENSE" "$output/"
if ((${#pythons[@]})); then cp "$root/build/portable/THIRD_PARTY_NOTICES" "$output/"; fi
if ! wanted wheel; then rm -f "$output"/warpmark-*.whl; fi
sums=$(cd "$output" && sha256sum -- *)
echo "$sums" >"$output/SHA256SUMS"
note "done: $output"
echo "$sums"
