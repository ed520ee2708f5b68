#!/bin/sh
# Runs a client program on the CPU device: run.sh WARPMARK_CPU PYTHON DEPS PROGRAM. 77: skipped.
set -eu
launcher=$1 python=$2 deps=$3 program=$4

# Packages that ./bootstrap fetched are for Debian's own interpreter.
if [ -d "$deps/usr/lib/python3/dist-packages" ] && [ -x /usr/bin/python3 ]; then
  python=/usr/bin/python3
  PYTHONPATH=$deps/usr/lib/python3/dist-packages
  export PYTHONPATH
  for folder in "$deps"/usr/lib/*-linux-gnu /usr/local/cuda/lib64 /usr/local/cuda/lib; do
    if [ -d "$folder" ]; then
      LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder"
    fi
  done
  export LD_LIBRARY_PATH
fi
# PyCUDA keeps what it compiled; a test compiles it.
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export HOME="$home" XDG_CACHE_HOME="$home/cache" PYTHONDONTWRITEBYTECODE=1
result=0
"$launcher" "$python" "$program" || result=$?
exit "$result"
