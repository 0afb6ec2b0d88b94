#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# alone.sh EYOTRUN PROGRAM - units that have a processor each in a job that was started for one: each waits awake, because nobody else wants its processor. And
# units that once gave a whole time slice to one that computes do not sleep in the next dozens of barriers; where Linux schedules sessions as groups, which refuses
# yields, this part is left out. Other programs make waits long, and long waits sleep, so the job has the highest priority; one of TRIES jobs must show it.
set -u
eyotrun=$1 program=$2 TRIES=8
processors=$(taskset -cp $$ | sed 's/.*: *//' | tr ',' '\n' | awk -F- '{ for (p = $1; p <= (NF > 1 ? $2 : $1); p++) print p }')
set -- $processors
[ $# -ge 2 ] || { echo "Skipped: one processor"; exit 77; }
nice -n -20 true 2>&1 | grep -q . && { echo "Skipped: no higher priority"; exit 77; }
first=$1 second=$2
# few WHAT MOST UNITS PROCESSORS BLOCKS BARRIERS COMPUTE_US LATE_US: at most MOST sleeps in one of the jobs.
few() {
  what=$1 most=$2 units=$3 bound=$4 least=
  shift 4
  for i in $(seq $TRIES); do
    output=$(EYOTI_MPI_OVERSUBSCRIBED=1 EYOT_STATS=1 nice -n -20 taskset -c "$bound" "$eyotrun" --fabric mpi -n "$units" "$program" "$first" "$second" "$@" 2>&1) ||
      { printf '%s\n' "$output"; echo "alone: the job failed"; exit 1; }
    sleeps=$(printf '%s\n' "$output" | sed -n 's/^sleeps ended by a wakeup, by time *\([0-9]*\) *\([0-9]*\)$/\1 \2/p' | awk '{ print $1 + $2 }')
    [ -n "$sleeps" ] || { printf '%s\n' "$output"; echo "alone: no number of sleeps"; exit 1; }
    [ -n "$least" ] && [ "$least" -le "$sleeps" ] || least=$sleeps
    echo "$what: $sleeps sleeps in $1 x $2 barriers"
    [ "$least" -gt "$most" ] || return 0
  done
  echo "alone: $what: at least $least sleeps, expected at most $most"
  return 1
}
bad=0
few "barriers alone" 500 2 "$first" 1 2000 0 5 || bad=1
if [ "$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null || echo 0)" = 0 ]; then
  few "after computation" 2000 3 "$first,$second" 40 50 2000 0 || bad=1
else
  echo "after computation: left out, sessions are scheduled as groups"
fi
exit $bad
