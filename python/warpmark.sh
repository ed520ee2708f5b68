#!/bin/sh
# warpmark for programs that do not know the Python whose package it is in, as CMake.
set -eu
package=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
# The package lies in PREFIX/lib/pythonX.Y/site-packages/warpmark, as a rule.
python=$package/../../../../bin/python3
[ -x "$python" ] || python=python3
exec "$python" "$package/__main__.py" "$@"
