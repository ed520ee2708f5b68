#!/usr/bin/env bash
# Checks C++ against .clang-format and shell scripts with shellcheck; exits 77 without the tool.
#
# Usage: formatting.sh clang-format|shellcheck SOURCE_DIR
set -euo pipefail
tool=$1
cd "$2"

case $tool in
  clang-format)
    # Versions differ in their opinions; the tree follows Debian 12's.
    for program in clang-format-14 clang-format; do
      if command -v "$program" >/dev/null && "$program" --version | grep -q 'version 14\.'; then
        find harness plugins tests \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' \) -print0 |
          xargs -0 "$program" --dry-run -Werror
        exit 0
      fi
    done
    echo 'skipped: no clang-format 14'
    ;;
  shellcheck)
    if command -v shellcheck >/dev/null; then
      find bootstrap bootstrap.d .ci/run packaging tests -type f \
        \( -name bootstrap -o -path .ci/run -o -name '*.sh' \) -print0 |
        xargs -0 shellcheck --external-sources
      exit 0
    fi
    echo 'skipped: no shellcheck'
    ;;
esac
exit 77
