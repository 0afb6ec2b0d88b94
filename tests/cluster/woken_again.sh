#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# woken_again.sh EYOTRUN PROGRAM - a collective that is made again wakes those who wait for it: two units share processors and always sleep while they wait, and there
# is no third one that wakes too. More sleeps are ended by a wakeup than by time; start and end of the job have dozens of the latter, and without the wakeup nearly
# all others are ended so.
set -u
eyotrun=$1 program=$2
for way in broadcast_late alltoall_late; do
  output=$(EYOTI_MPI_OVERSUBSCRIBED=1 EYOTI_MPI_WAIT_IDLE=sleep EYOT_STATS=1 "$eyotrun" --fabric mpi -n 2 "$program" 400 $way 2>&1) || {
    printf '%s\n' "$output"
    echo "woken_again: the job failed"
    exit 1
  }
  set -- $(printf '%s\n' "$output" | sed -n 's/^sleeps ended by a wakeup, by time *\([0-9]*\) *\([0-9]*\)$/\1 \2/p')
  [ $# -eq 2 ] || { printf '%s\n' "$output"; echo "woken_again: no number of sleeps"; exit 1; }
  echo "$way: $1 sleeps ended by a wakeup, $2 by time"
  [ "$1" -gt "$2" ] || { echo "woken_again: $way: expected more by a wakeup than by time"; exit 1; }
done
