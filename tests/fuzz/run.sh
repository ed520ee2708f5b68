#!/bin/bash
# Fuzzes one target with libFuzzer, from its corpus here.
#
#   cmake --preset fuzz && cmake --build --preset fuzz
#   tests/fuzz/run.sh TARGET SECONDS [LIBFUZZER-OPTION...]
#
# TARGET is a line of targets.def. What is found goes to build/fuzz/findings; add a mended input to
# corpus/TARGET, where fuzz.corpora keeps it mended. What reaches new code is kept in
# build/fuzz/corpus, for the next time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${WARPMARK_FUZZ_BUILD:-$here/../../build/fuzz}
if [ $# -lt 2 ] || [ ! -d "$here/corpus/$1" ]; then
  echo "usage: $0 TARGET SECONDS [LIBFUZZER-OPTION...]; targets are in targets.def" >&2
  exit 2
fi
target=$1 seconds=$2
shift 2
mkdir -p "$build/corpus/$target" "$build/findings"
# The words of the seeds, and for PTX those of all instructions.
words=$build/corpus/$target.dict
{
  cat "$here/corpus/$target"/*
  case $target in ptx*) cat "$here/../../plugins/cpu/ptx/instruction_forms.def" ;; esac
  case $target in suite | assignment) cat "$here/../../schema/$target.json" ;; esac
} | LC_ALL=C grep -aoE '[.%]?[A-Za-z_][A-Za-z0-9_]{1,24}' | LC_ALL=C sort -u | sed 's/.*/"&"/' >"$words"
# An address space of its own is what the sanitizer needs most: memory is limited by libFuzzer.
ulimit -c 0
ulimit -t $((seconds * 2 + 60))
TMPDIR=${TMPDIR:-/tmp} exec "$build/tests/fuzzer_$target" -max_total_time="$seconds" -timeout=10 \
  -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=20000 -dict="$words" -print_final_stats=1 \
  -artifact_prefix="$build/findings/$target-" "$@" "$build/corpus/$target" "$here/corpus/$target"
