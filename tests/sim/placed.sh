#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# placed.sh EYOTRUN PLACEMENT PROGRAM [ARGS...] - units that are placed so give the same trace hash on both executors, and another one than packed units.
set -u
export EYOT_ERRORS=return # the programs check the codes of mistakes that they make on purpose
run=$1 placement=$2
shift 2
hash() { "$run" --fabric sim -n 24 --units-per-node 4 --order rdma --trace-hash "$@" 2>&1 | sed -n 's/^trace hash: //p'; }
packed=$(hash "$@")
fiber=$(hash --placement "$placement" "$@")
simgrid=$(hash --placement "$placement" --engine simgrid "$@")
[ -n "$packed" ] && [ -n "$fiber" ] || { echo "placed: no trace hash"; exit 1; }
[ "$fiber" = "$simgrid" ] || { echo "placed: executors differ: fiber $fiber, simgrid $simgrid"; exit 1; }
[ "$fiber" != "$packed" ] || { echo "placed: $placement is packed: $packed"; exit 1; }
echo "placed: $fiber, packed $packed"
