#!/bin/bash
# Checks suites on several nodes by mpirun, a part of the cases by each process, and makes one journal of
# the parts.
#
#   bash check.sh                     in the folder of the suites, which all nodes see
#   bash check.sh --host a:2,b:2      with further options of mpirun
#
# Change what follows, or set it in the environment.
set -euo pipefail

SUITES=${SUITES:-suites}
SHARDS=${SHARDS:-4}
RESULT=${RESULT:-run.jsonl}  # the parts are in the folder "$RESULT.parts" beside it
DEVICE=${DEVICE:-cpu}

part() {
  # auto takes the part from the rank. 1 says that a case failed, 77 that every case was skipped. The part is
  # complete in both cases, and with another exit code than 0 mpirun would end the other ranks.
  warpmark check "$SUITES" --device "$DEVICE" --shard auto --journal "$RESULT.parts/part{shard}.jsonl" -q ||
    case $? in 1 | 77) ;; *) exit $? ;; esac
}

run() {
  rm -rf "$RESULT.parts"  # those of an earlier run
  # Through env, as not every mpirun hands the environment on to other nodes.
  mpirun -n "$SHARDS" "$@" env SUITES="$SUITES" RESULT="$RESULT" DEVICE="$DEVICE" bash "$0" part
  # Ends with the exit code of the whole run: 1 if a case failed. The last line has the sums.
  local code=0
  warpmark merge "$RESULT.parts"/part*.jsonl -o "$RESULT" || code=$?
  case $code in 0 | 1 | 77) tail -n 1 "$RESULT" ;; esac  # else nothing was merged, and one of an earlier run stays
  return "$code"
}

case ${1:-} in
  part) part ;;
  *) run "$@" ;;
esac
