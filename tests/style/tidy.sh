#!/usr/bin/env bash
# Checks the sources of the harness and the plugins with clang-tidy; exits 77 without clang-tidy 14.
#
# Usage: tidy.sh SOURCE_DIR BUILD_DIR [FILE...]
#
# BUILD_DIR is a configured build. With FILEs, relative to SOURCE_DIR, only these.
set -euo pipefail
cd "$1"
build=$2
shift 2

# Versions differ in their checks; .clang-tidy is written for Debian 12's.
for program in clang-tidy-14 clang-tidy; do
  if command -v "$program" >/dev/null && "$program" --version | grep -q 'version 14\.'; then
    if (($# == 0)); then
      mapfile -d '' -t found < <(find harness plugins -name '*.cpp' -print0 | sort -z)
      set -- "${found[@]}"
    fi
    commands=$(mktemp -d)
    trap 'rm -rf "$commands"' EXIT
    tests/style/single_files.sh "$PWD" "$build" "$commands"
    # Headers that GCC has precompiled are nothing that clang can read; files include them anyway.
    sed -i -E 's@ -Winvalid-pch -include [^ ]*/cmake_pch\.hxx| --param ggc-min-heapsize=[0-9]+@@g' "$commands/compile_commands.json"
    # One file a process, at most two at once: each takes half a gigabyte.
    printf '%s\0' "$@" |
      xargs -0 -n 1 -P 2 "$program" -p "$commands" --quiet --warnings-as-errors='*'
    exit 0
  fi
done
echo 'skipped: no clang-tidy 14'
exit 77
