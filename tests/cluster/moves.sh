#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# moves.sh EYOTRUN PROGRAM - units that are said to have a processor each, and share one: they sleep for a moment so that Linux may move them, and ever more rarely, because it cannot.
set -u
eyotrun=$1 program=$2
processor=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
output=$(EYOTI_MPI_OVERSUBSCRIBED=0 EYOT_STATS=1 taskset -c "$processor" "$eyotrun" --fabric mpi -n 4 "$program" 500 2>&1) || { printf '%s\n' "$output"; echo "moves: the job failed"; exit 1; }
sleeps=$(printf '%s\n' "$output" | sed -n 's/^sleeps to change the processor *\([0-9]*\)$/\1/p')
printf '%s\n' "$output" | tail -n 8
# a unit's first sleep comes after 16 yields that let the other run; a sleep for each 16 would be hundreds
[ "${sleeps:-0}" -ge 2 ] || { echo "moves: ${sleeps:-no} sleeps, expected some"; exit 1; }
[ "$sleeps" -le 60 ] || { echo "moves: $sleeps sleeps, expected fewer and fewer"; exit 1; }
