#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ends.sh EYOTRUN HELLO - a short program ends, time and again: without src/fabric_real/launch/quiet.c about half of the runs hang. On four hosts of machine.sh.
set -u
eyotrun=$1 hello=$2
i=0
while [ $i -lt 6 ]; do
  timeout 30 "$eyotrun" --fabric mpi -n 4 --hosts "$HOSTS" "$hello" >/run/said 2>&1 || { echo "ends.sh: run $i: exit code $? (124: it hangs)"; cat /run/said; exit 1; }
  i=$((i + 1))
done
echo ok
