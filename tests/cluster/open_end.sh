#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# open_end.sh EYOTRUN PROGRAM - a unit that crashes, aborts or exits while a collective, a barrier, a receive or counting of
# its own goes on (programs/open_end.c), or with threads, ends the run as one that has nothing open: the same report and code.
set -u
run=$1 program=$2
bad=0 ended=0

# ends CODE REGEX HOW OPEN [OPTION...]
ends() {
  want=$1 regex=$2 how=$3 open=$4
  shift 4
  output=$(timeout 30 "$run" --fabric mpi -n 2 "$@" "$program" "$open" "$how" 2>&1 </dev/null)
  code=$?
  ended=$((ended + 1))
  [ $code -eq "$want" ] && printf '%s\n' "$output" | grep -Eq -- "$regex" && return
  echo "$open, $how $*: code $code, expected $want and '$regex', got: $output"
  bad=1
}

# each WHAT [OPTION...]
each() {
  open=$1
  shift
  ends 139 "eyot: .unit 1. has crashed with SIGSEGV .*; its last operation was eyot_" crash "$open" "$@"
  ends 134 "eyot: .unit 1. has crashed with SIGABRT; its last operation was eyot_" abort "$open" "$@"
  ends 3 "eyot: .unit 1. has left the run without eyot_finalize" 3 "$open" "$@"
}
each nothing
each coll
each barrier
each recv
each count
each nothing --threads multiple
[ $ended -eq 18 ] || { echo "only $ended ways were tried"; bad=1; }
exit $bad
