#!/usr/bin/env bash
# Prints the licences of what is linked or compiled into a package, from the files of this system.
#
# Usage: packaging/notices.sh [--pybind11 FILE] > THIRD_PARTY_NOTICES
#
# FILE is the licence of a pybind11 that is not this system's.
set -euo pipefail
pybind11=/usr/share/doc/pybind11-dev/copyright
if [[ ${1:-} == --pybind11 ]]; then pybind11=$2; fi
runtime=/usr/share/doc/libstdc++-$(c++ -dumpversion | cut -d . -f 1)-dev/copyright

part() { # a title and a file
  if [[ ! -r $2 ]]; then
    echo "notices.sh: error: $1 has no licence text here: there is no $2" >&2
    exit 3
  fi
  printf '\n%s\n%s\n\n' "$1" "${1//?/=}"
  cat "$2"
}

cat <<'END'
Warpmark is under the Apache License 2.0, whose text is in LICENSE. Its packages contain code of the
following projects, linked as static libraries or compiled from headers. Where a text below names
/usr/share/common-licenses/Apache-2.0, it means the text of LICENSE; what it says of `debian/*` is about
files that no package has.
END
for pair in yaml-cpp:libyaml-cpp-dev fmt:libfmt-dev 'Google Benchmark:libbenchmark-dev' \
  GoogleTest:libgtest-dev CLI11:libcli11-dev nlohmann-json:nlohmann-json3-dev; do
  part "${pair%%:*}" "/usr/share/doc/${pair#*:}/copyright"
done
part pybind11 "$pybind11"
part "GCC's runtime library libstdc++, with the GCC Runtime Library Exception" "$runtime"
