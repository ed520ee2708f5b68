# Surveys the machine: compiler, tools, libraries, Python. Sourced by ./bootstrap.
# shellcheck shell=bash disable=SC2034,SC2154
# (Sourced: variables cross between this file and ./bootstrap.)

# Capabilities are probed, not packages: a compiler from elsewhere or NumPy of a virtual
# environment serves as well as Debian's. Only what is missing gets a package's name.

packages=()  # Debian and Ubuntu packages to install
unnamed=()   # things that are missing and that no package of the system provides
need() {     # WHAT PACKAGE...
  row "$1" "${bold}missing${plain}"
  packages+=("${@:2}")
}

survey_system() {
  local name=unknown
  if [[ -r /etc/os-release ]]; then
    # shellcheck source=/dev/null
    name=$(. /etc/os-release && printf '%s' "${PRETTY_NAME:-unknown}")
  fi
  row system "$name, $(uname -m), $(nproc) cores"
}

survey_compiler() {
  # CMake's order: CXX, then c++, then g++.
  local candidate probe=$'#include <concepts>\n#include <source_location>\n#include <span>'
  for candidate in ${CXX:-} c++ g++ clang++; do
    candidate=$(command -v "$candidate") || continue
    if "$candidate" -std=c++20 -fsyntax-only -x c++ - <<<"$probe" 2>/dev/null; then
      row compiler "$("$candidate" --version | head -n 1)  $candidate"
      return
    fi
    note "passed over $candidate: no C++20"
  done
  need compiler g++
}

survey_tool() { # NAME PACKAGE OLDEST
  local path version
  if path=$(command -v "$1"); then
    version=$("$path" --version | sed -n '1s/[^0-9]*\([0-9][0-9.]*[0-9]\).*/\1/p')
    if [[ $(printf '%s\n' "$3" "$version" | sort -V | head -n 1) == "$3" ]]; then
      row "$1" "$version  $path"
      return
    fi
    note "passed over $path: version $version is older than $3"
  fi
  need "$1" "$2"
}

# Prints the first folder of the include path that has the header.
header_folder() {
  local folder
  local -a prefixes folders
  IFS=':;' read -r -a prefixes <<<"${CMAKE_PREFIX_PATH:-}"
  IFS=: read -r -a folders <<<"${CPLUS_INCLUDE_PATH:-}:${CPATH:-}"
  folders=("${prefixes[@]/%//include}" "${folders[@]}" /usr/local/include /usr/include)
  for folder in "${folders[@]}"; do
    if [[ -n $folder && -e $folder/$1 ]]; then
      printf '%s' "$folder"
      return 0
    fi
  done
  return 1
}

survey_libraries() {
  local header package name found=() missing=()
  # fmt, nlohmann_json, yaml-cpp and CLI11 are for the program, Google Benchmark for `warpmark
  # bench`, and GoogleTest for `warpmark check` and the tests. libdw (elfutils) is for `warpmark debug`.
  while read -r header name package; do
    if header_folder "$header" >/dev/null; then
      found+=("$name")
    else
      missing+=("$name")
      packages+=("$package")
    fi
  done <<'EOF'
fmt/core.h fmt libfmt-dev
nlohmann/json.hpp nlohmann-json nlohmann-json3-dev
yaml-cpp/yaml.h yaml-cpp libyaml-cpp-dev
CLI/CLI.hpp CLI11 libcli11-dev
benchmark/benchmark.h benchmark libbenchmark-dev
gtest/gtest.h gtest libgtest-dev
gmock/gmock.h gmock libgmock-dev
elfutils/libdw.h libdw libdw-dev
EOF
  if ((${#found[@]})); then row libraries "${found[*]}"; fi
  if ((${#missing[@]})); then row libraries "${bold}missing${plain}: ${missing[*]}"; fi
}

# Reads the probe's lines for interpreter $1 into the associative array `probed`.
declare -A probed
probe_python() {
  local line output ok=yes
  probed=([reason]='does not run' [lacks]='')
  output=$("$1" -I "$root/cmake/probe_python.py" 2>/dev/null) || ok=no
  while IFS= read -r line; do
    if [[ $line == *=* ]]; then probed[${line%%=*}]=${line#*=}; fi
  done <<<"$output"
  [[ $ok == yes ]]
}

python=''  # the interpreter to embed; cmake/EmbeddedPython.cmake looks in the same order
survey_python() {
  local candidate candidates=() tried=' ' rejected=() lacks='headers numpy'
  candidates+=("${WARPMARK_PYTHON:-}")
  if [[ -n ${VIRTUAL_ENV:-} ]]; then candidates+=("$VIRTUAL_ENV/bin/python3"); fi
  if [[ -r build/CMakeCache.txt ]]; then
    candidates+=("$(sed -n 's/^WARPMARK_BUILD_PYTHON:FILEPATH=//p' build/CMakeCache.txt)")
  fi
  candidates+=("$(command -v python3 || true)" /usr/bin/python3)
  for candidate in "${candidates[@]}"; do
    if [[ -z $candidate || $tried == *" $candidate "* ]]; then continue; fi
    tried+="$candidate "
    if probe_python "$candidate"; then
      python=${probed[executable]}
      break
    fi
    if [[ -e $candidate ]]; then rejected+=("passed over $candidate: ${probed[reason]}"); fi
    # Debian's packages serve its own interpreter and no other.
    if [[ $candidate == /usr/bin/python3 && -e $candidate ]]; then lacks=${probed[lacks]}; fi
  done
  if [[ -n $python ]]; then
    row python "${probed[version]}  $python"
    row NumPy "${probed[numpy]}"
    python_version=${probed[version]}
  elif [[ -n $lacks ]]; then
    local wanted=()
    if [[ $lacks == *headers* || $lacks == *library* ]]; then wanted+=(python3-dev); fi
    if [[ $lacks == *numpy* ]]; then wanted+=(python3-numpy); fi
    if ((${#wanted[@]})); then
      need python "${wanted[@]}"
    else
      unnamed+=('a Python 3.9 or newer with headers, a shared libpython and NumPy 1.24 or newer')
      row python "${bold}missing${plain}"
    fi
  fi
  local line
  for line in ${rejected[@]+"${rejected[@]}"}; do note "$line"; done
  survey_pybind11
}

survey_pybind11() {
  local folder
  if [[ -n $python && -n ${probed[pybind11]:-} ]]; then
    row pybind11 "${probed[pybind11]}"
  elif folder=$(header_folder pybind11/embed.h); then
    row pybind11 "$folder/pybind11"
  else
    need pybind11 pybind11-dev
  fi
}

# Modules that only tests use; a test without its module skips and says so.
survey_test_modules() {
  local module missing=()
  for module in jsonschema pytest yaml; do
    "${python:-/usr/bin/python3}" -I -c "import $module" 2>/dev/null || missing+=("$module")
  done
  ((${#missing[@]})) || return 0
  # Without a Python the system's is about to be installed, and its modules with it.
  if [[ ${python:-/usr/bin/python3} == /usr/bin/python3 && $offline == no ]] &&
    command -v apt-get >/dev/null; then
    row "for tests" "${bold}missing${plain}: ${missing[*]}"
    packages+=("${missing[@]/#/python3-}")
  else
    note "without ${missing[*]} in $python the tests that use it are skipped"
  fi
}

# MPI runs a case on several processes. It is optional: a test without it is skipped and says so.
survey_mpi() {
  if command -v mpirun >/dev/null && command -v mpicc >/dev/null; then
    row MPI "$(mpirun --version | head -n 1)  $(command -v mpirun)"
  elif [[ $offline == no ]] && command -v apt-get >/dev/null; then
    row "for tests" "${bold}missing${plain}: MPI"
    packages+=(openmpi-bin libopenmpi-dev)
  else
    note 'without MPI (mpirun, mpicc) the tests of several ranks are skipped'
  fi
}

survey() {
  packages=() unnamed=() python='' probed=()
  survey_system
  survey_compiler
  survey_tool cmake cmake 3.25
  survey_tool ninja ninja-build 1.10
  survey_libraries
  survey_python
  survey_gpu
  survey_cuda
  if [[ $command == test ]]; then
    survey_test_modules
    survey_mpi
  fi
  if wheels_to_fetch; then survey_download; fi
}
