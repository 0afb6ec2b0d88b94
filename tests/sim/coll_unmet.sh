#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coll_unmet.sh PROGRAM EYOTRUN [OPTION...] - the warning that a call cannot have the algorithm that --coll asks for names the call whose choice
# it is, in whatever call of eyot it goes on. PROGRAM is tests/programs/coll_unmet.c.
set -u
program=$1
shift
bad=0
# names HOW FUNCTION RUN...
names() {
  how=$1 function=$2
  shift 2
  output=$("$@" --coll allreduce:1000-:multi "$program" "$how" 2>&1) || { echo "$how: failed: $output"; bad=1; }
  said=$(printf '%s\n' "$output" | grep 'EYOT_COLL asks for multi in allreduce, which this call cannot have (8000 bytes, a team of 3)')
  others=$(printf '%s\n' "$said" | grep -v " warning[^:]*: $function: EYOT_COLL")
  others=$(printf '%s\n' "$others" | grep -v " warning, 3 times in all, first by unit [0-2]: $function: EYOT_COLL")
  [ -n "$said" ] && [ -z "$others" ] || { echo "$how: expected warnings of $function alone, got: $output"; bad=1; }
}
names blocking eyot_allreduce "$@"
names inside eyot_allreduce_nb "$@"
names waited eyot_allreduce_nb "$@"
names between eyot_allreduce_nb "$@"
names plan eyot_allreduce_plan "$@"
exit $bad
