#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# progress.sh BUILD_DIR - progress processes under Slurm (batch.sh), where srun starts units and progress processes alike, and eyotrun within a job on hosts that it is told.
set -u
. "$(dirname "$0")/../../support/refuse.sh"
bin=$1/bin tests=$1/tests/bin
heat="$1/examples/heat3d --size 23,19,21 --steps 20"
cd /run/eyot-slurm || exit 1
engine="timeout 60 env EYOT_PROGRESS=1 srun --mpi=pmi2 -N2"
# Of three processes a node two are units.
three="-n6 --ntasks-per-node=3"
# shellcheck disable=SC2086
{
  # The cases that meet a progress process most: two nodes on one machine are slow, for MPI does not know that their processes share it.
  runs "conformance" "^ok attach_makes_memory_accessible" $engine $three "$tests/conformance" --rounds 1 put_moves_all_sizes_and_alignments get_moves_all_sizes_and_alignments long_transfers_arrive_whole many_implicit_operations_end_with_a_flush signal_comes_after_its_bytes amo_mixed_updates_keep_the_sum message_passing_shows_the_data attach_makes_memory_accessible
  runs "a computing target" "^served" $engine -n4 --ntasks-per-node=2 "$tests/progress" target served 1500
  runs "an example" "on . x . x 2 units" $engine $three $heat
  refused "too few processes" "leave no unit" $engine -n2 --ntasks-per-node=1 "$tests/bad_end" plain
  refused "eyotrun" "only the launcher knows the nodes.*srun --mpi=pmi2 --ntasks-per-node=" timeout 60 salloc -Q -N2 -n4 "$bin/eyotrun" --fabric mpi -n 2 --progress 1 "$tests/bad_end" plain
}
exit $bad
