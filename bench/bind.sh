#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bind.sh PROGRAM ARGUMENTS... - starts each process of a job on one machine. Process 0, which is
# unit 0, gets the first permitted processor alone; all others, with the progress processes, share
# the second. So unit 0 computes while the processes that work for it have another processor,
# however the scheduler decides. Without taskset, or with one processor, the program runs unbound.
set -eu
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}
allowed=$(taskset -cp $$ 2>/dev/null | sed 's/.*: //' | tr ',' '\n' | awk -F- '{ for (i = $1; i <= $NF; i++) print i }')
second=$(echo "$allowed" | sed -n 2p)
[ -n "$second" ] || exec "$@"
if [ "$rank" -eq 0 ]; then exec taskset -c "$(echo "$allowed" | sed -n 1p)" "$@"; fi
exec taskset -c "$second" "$@"
