#!/bin/sh
# warpmark for programs that do not know the Python whose package it is in, as CMake.
set -eu
package=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")

# The interpreter that pip's script names: in its first line, or, if the path is long or has a space,
# in the second one.
named_in() {
  sed -n -e '1s/^#! *\(.*\/python[^ ]*\)$/\1/p' \
    -e "2s/^'''exec' \"\{0,1\}\([^\"]*[^ \"]\)\"\{0,1\} \"\$0\" .*/\1/p" "$1" 2>/dev/null | head -n 1
}

# The Python whose pip put the package there, whatever else is on the path: PREFIX/bin has its script
# for PREFIX/lib/pythonX.Y/site-packages, and FOLDER/bin for `pip install --target FOLDER`. An archive
# has no Python.
python=
case $package in
  */site-packages/* | */dist-packages/*)
    python=$(named_in "$package/../../../../bin/warpmark")
    [ -x "$python" ] || python=$package/../../../../bin/python3
    ;;
esac
[ -x "$python" ] || python=$(named_in "$package/../bin/warpmark")
[ -x "$python" ] || python=python3
exec "$python" "$package/__main__.py" "$@"
