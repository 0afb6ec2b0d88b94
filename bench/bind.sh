#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bind.sh PROGRAM ARGUMENTS... - started as each process of a job on one machine: process 0, which is unit 0, gets the first processor that it may use for itself;
# all others, progress processes among them, share the second. So one unit computes, and whoever works for it has another processor, whatever the scheduler
# would do. Without taskset, or with one processor, the program runs as it is.
set -eu
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}
allowed=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //' | tr ',' '\n' | awk -F- '{ for (i = $1; i <= $NF; i++) print i }')
second=$(echo "$allowed" | sed -n 2p)
[ -n "$second" ] || exec "$@"
if [ "$rank" -eq 0 ]; then exec taskset -c "$(echo "$allowed" | sed -n 1p)" "$@"; fi
exec taskset -c "$second" "$@"
