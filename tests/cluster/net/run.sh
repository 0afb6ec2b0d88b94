#!/bin/sh
# run.sh EYOTRUN UNITS PER_HOST REGEX PROGRAM... - runs the program on all hosts of machine.sh. It must end with 0 and print REGEX, and its bytes must have come over the wire.
# SPDX-License-Identifier: BSD-3-Clause
set -u
eyotrun=$1 units=$2 per_host=$3 regex=$4
shift 4
received() { cat "/sys/class/net/veth$1/statistics/rx_bytes"; }
wire_min=4096

# What a run of nothing costs: the launcher's own traffic.
before=$(received 1)
"$eyotrun" --fabric mpi -n "$units" --hosts "$HOSTS" --per-host "$per_host" "$(command -v true)" || { echo "run.sh: the launcher does not start anything"; exit 1; }
launch=$(($(received 1) - before)) before=$(received 1)
sh "$(dirname "$0")/../../common/must.sh" pass "$regex" "$eyotrun" --fabric mpi -n "$units" --hosts "$HOSTS" --per-host "$per_host" "$@" || exit 1
sent=$(($(received 1) - before - launch))
echo "run.sh: host1 sent $sent bytes"
[ $sent -ge $wire_min ] || { echo "run.sh: host1 sent $sent bytes beyond what starting takes: the units did not use the network"; exit 1; }
