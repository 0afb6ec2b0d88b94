#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# calibrate.sh BUILD_DIR - eyot-calibrate --hosts measures the network between two machines, and refuses what is not two. On two hosts of machine.sh. Nothing here asserts a time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../support/refuse.sh"
file=/run/two.machine
calibrate() { timeout 60 "$build/bin/eyot-calibrate" --jobs 1 --rounds 1 --output $file "$@"; }
build=$1

for hosts in host1 host1, ,host1 host1,host2,host3 host1,host1; do refused "hosts '$hosts'" "two different names, as in a,b, and is $hosts" calibrate --hosts "$hosts"; done
refused "one machine" "the two hosts are one machine under two names" calibrate --hosts login,10.77.0.1
refused "a host that is not there" "host 'host9' cannot be reached" calibrate --hosts host1,host9
[ ! -e $file ] || { echo "a refused run has left a file"; bad=1; }
runs "two hosts" "two.machine: [0-9]+ figures" calibrate --hosts host1,host2
runs "its title" "network: hosts host1,host2" cat $file
runs "the simulator" "heat3d: verified" "$build/bin/eyotrun" --fabric sim -n 2 --units-per-node 1 --platform $file "$build/examples/heat3d" --block 6 --steps 5
exit $bad
