#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh EYOTRUN UNITS PER_HOST REGEX PROGRAM... - runs the program on all hosts of machine.sh. It must end with 0 and print REGEX, and its bytes must have come over the wire.
set -u
eyotrun=$1 units=$2 per_host=$3 regex=$4
shift 4
# What has come from host1; /sys shows the interfaces of the outside.
received() { ip -s link show veth1 | awk 'take { print $1; exit } /RX:/ { take = 1 }'; }
wire_min=16384 # starting two processes on host1 takes some 6,000 bytes, and the shortest program over TCP 35,000

before=$(received)
sh "$(dirname "$0")/../../support/must.sh" pass "$regex" "$eyotrun" --fabric mpi -n "$units" --hosts "$HOSTS" --per-host "$per_host" "$@" || exit 1
sent=$(($(received) - before))
echo "run.sh: host1 sent $sent bytes"
[ $sent -ge $wire_min ] || { echo "run.sh: host1 sent $sent bytes, hardly more than starting takes: the units did not use the network"; exit 1; }
