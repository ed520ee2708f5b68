#!/bin/sh
# compile_with.sh CLANG LAST GCC ARGUMENT...: compiles by Clang, which understands GCC's arguments, with one more behind them.
# CMake has one compiler for a language, and starts this in front of it (CMAKE_CXX_COMPILER_LAUNCHER).
clang=$1 last=$2
shift 3
case " $* " in
  *' c++-header '*) # the header itself, and not an older precompiled one beside it
    for word; do
      shift
      if [ "$word" = -include ]; then set -- "$@" -Xclang -include -Xclang; else set -- "$@" "$word"; fi
    done
    set -- -fpch-instantiate-templates "$@"
    ;;
esac
# These warnings are wrong, or of taste, where GCC has none.
exec "$clang" -Wno-unused-command-line-argument "$@" "$last" -Wno-missing-braces -Wno-braced-scalar-init \
  -Wno-string-concatenation
