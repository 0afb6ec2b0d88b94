#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# alone.sh EYOTRUN PROGRAM - units of which one has a processor for itself while the others share another. It waits awake, because nobody else wants its
# processor; and units that once gave a whole time slice to one that computes do not sleep in the next dozens of barriers. Other
# programs make waits long, and long waits sleep, so the job has the highest priority; one of TRIES jobs must show it.
set -u
eyotrun=$1 program=$2 TRIES=8
processors=$(taskset -cp $$ | sed 's/.*: *//' | tr ',' '\n' | awk -F- '{ for (p = $1; p <= (NF > 1 ? $2 : $1); p++) print p }')
set -- $processors
[ $# -ge 2 ] || { echo "Skipped: one processor"; exit 77; }
nice -n -20 true 2>&1 | grep -q . && { echo "Skipped: no higher priority"; exit 77; }
first=$1 second=$2
# few WHAT MOST BLOCKS BARRIERS COMPUTE_US: at most MOST sleeps in one of the jobs.
few() {
  what=$1 most=$2 least=
  shift 2
  for i in $(seq $TRIES); do
    output=$(EYOTI_MPI_OVERSUBSCRIBED=1 EYOT_STATS=1 nice -n -20 "$eyotrun" --fabric mpi -n 3 "$program" "$first" "$second" "$@" 2>&1) ||
      { printf '%s\n' "$output"; echo "alone: the job failed"; exit 1; }
    sleeps=$(printf '%s\n' "$output" | sed -n 's/^sleeps ended by a wakeup, by time *\([0-9]*\) *\([0-9]*\)$/\1 \2/p' | awk '{ print $1 + $2 }')
    [ -n "$least" ] && [ "$least" -le "${sleeps:-0}" ] || least=${sleeps:-0}
    echo "$what: $sleeps sleeps in $1 x $2 barriers"
    [ "$least" -gt "$most" ] || return 0
  done
  echo "alone: $what: at least $least sleeps, expected at most $most"
  return 1
}
bad=0
few "barriers alone" 300 1 2000 0 || bad=1
few "after computation" 2000 40 50 2000 || bad=1
exit $bad
