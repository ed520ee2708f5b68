#!/bin/sh
# warpmark for programs that do not know the Python whose package it is in, as CMake.
set -eu
package=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
# pip puts the package into PREFIX/lib/pythonX.Y/site-packages, as a rule; an archive has no Python.
case $package in
  */site-packages/*) python=$package/../../../../bin/python3 ;;
  *) python=python3 ;;
esac
[ -x "$python" ] || python=python3
exec "$python" "$package/__main__.py" "$@"
