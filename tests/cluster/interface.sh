#!/bin/sh
# interface.sh BIN_DIR PROGRAM_DIR - calls of an interface that marks them (eyot/caller.h), over MPI. The simulator's are in tests/sim/interface.sh.
bin=$1 program=$2/interface
. "$(dirname "$0")/../support/refuse.sh"
. "$(dirname "$0")/../support/interface.sh"
for node_size in 0 1; do
  mapped=no
  [ $node_size = 0 ] && mapped=yes
  run="$bin/eyotrun --fabric mpi -n 2 --node-size $node_size"
  watched="$run --watchdog 0.5"
  interface_ways
done
exit $bad
