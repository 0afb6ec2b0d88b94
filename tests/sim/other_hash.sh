#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# other_hash.sh EYOTRUN OPTIONS PROGRAM [ARGS...] - with these options a run has the same trace hash on both executors, and another one than without them.
set -u
export EYOT_ERRORS=return # the programs check the codes of mistakes that they make on purpose
run=$1 options=$2
shift 2
hash() { "$run" --fabric sim -n 24 --units-per-node 4 --order rdma --trace-hash "$@" 2>&1 | sed -n 's/^trace hash: //p'; }
without=$(hash "$@")
# shellcheck disable=SC2086 # several words
fiber=$(hash $options "$@") simgrid=$(hash $options --engine simgrid "$@")
[ -n "$without" ] && [ -n "$fiber" ] || { echo "other_hash: no trace hash"; exit 1; }
[ "$fiber" = "$simgrid" ] || { echo "other_hash: executors differ: fiber $fiber, simgrid $simgrid"; exit 1; }
[ "$fiber" != "$without" ] || { echo "other_hash: '$options' changes nothing: $without"; exit 1; }
echo "other_hash: $fiber, without '$options' $without"
