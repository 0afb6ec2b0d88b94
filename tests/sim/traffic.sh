#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# traffic.sh EYOTRUN PROGRAM PLATFORM_FILE - other jobs' traffic (--traffic), in virtual time: a full link and a full NIC lose its share, seeds draw it,
# executors agree. PROGRAM is tests/programs/shares.c. SIMGRID=1: also on SimGrid's executor.
run=$1 program=$2 file=$3
bad=0
row=dragonfly:groups=1,chassis=1,blades=4,nodes=2,cores=1,numa=1
# took PLATFORM OPTIONS: the time of one put of 4 MiB over a link, in ns.
took() {
  "$run" --fabric sim -n 8 --units-per-node 1 --platform "$1" --order strict $2 "$program" 0:2:4194304:1:0 | sed -n 's/^flow 0: \([0-9]*\) ns$/\1/p'
}
# near WHAT TIME PLAIN FACTOR
near() {
  printf '%s %s\n' "$2" "$3" | awk -v f="$4" '{ r = $1 / $2; exit !(NF == 2 && r > f * 0.97 && r < f * 1.03) }' || {
    echo "$1: $2 ns, expected $4 times $3 ns"
    bad=1
  }
}
near "half a link" "$(took $row '--traffic green=50')" "$(took $row '')" 2
near "half a platform file's links" "$(took "$file" '--traffic links=50')" "$(took "$file" '')" 2
near "half a NIC, of twice a link" "$(took "${row},bw_green=100" '--traffic nic=50')" "$(took "${row},bw_green=100" '')" 2
one=$(took $row '--traffic green=50 --seed 1') two=$(took $row '--traffic green=50 --seed 2')
[ "$one" != "$two" ] || { echo "two seeds: both $one ns"; bad=1; }
if [ -n "$SIMGRID" ]; then
  [ "$one" = "$(took $row '--traffic green=50 --seed 1 --engine simgrid')" ] || { echo "the executors differ"; bad=1; }
  near "half a link, SimGrid's flows" "$(took $row '--engine simgrid --network simgrid --traffic green=50')" "$(took $row '--engine simgrid --network simgrid')" 2
  "$run" --fabric sim -n 2 --units-per-node 1 --platform "$file" --engine simgrid --network simgrid --traffic links=50 "$program" 0:1:8:1:0 2>&1 | grep -q 'expected a preset' || { echo "traffic over a file with SimGrid's flows is accepted"; bad=1; }
fi
exit $bad
