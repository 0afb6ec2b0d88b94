# suite_overlap.sh - the suite `overlap` of run.sh: what of a transfer's time is left to the program. Wall time, on mpi.
#   availability  one unit computes while its transfer goes on, the other sleeps (seed 000 section 7.2.2)
#   private       the same from and to memory of malloc, with the progress engine: directly (private_direct) and handed over
#   stencil       halos of a five-point stencil behind the computing (seed 000 section 7.2.3)
# Each within a node and between virtual nodes, without and with a progress process a node. Beside ours MPI's own operations, where all processes are the program's.
# SPDX-License-Identifier: BSD-3-Clause

# overlap_case NAME OPTIONS: both programs, NAME_alone without progress processes, NAME_engine with one a node.
overlap_case() {
  name=$1
  shift
  for engine in alone engine; do
    if [ $engine = engine ]; then with="--progress 1" peer=; else with= peer=mpi; fi
    measured "$build/bin/eyotrun" --fabric mpi -n 2 "$@" $with "$bin/bench_overlap" ${name}_$engine $peer | grep '^value' || return 1
    measured "$build/bin/eyotrun" --fabric mpi -n 2 "$@" $with "$bin/bench_stencil" ${name}_stencil_$engine 2048 20 $peer | grep '^value' || return 1
  done
}

# private_case NAME OPTIONS: private buffers, which a progress process may or may not access.
private_case() {
  name=$1
  shift
  measured "$build/bin/eyotrun" --fabric mpi -n 2 "$@" --progress 1 --progress-private off "$bin/bench_overlap" ${name}_private_direct private | grep '^value' || return 1
  measured "$build/bin/eyotrun" --fabric mpi -n 2 "$@" --progress 1 --progress-private-bytes 4K "$bin/bench_overlap" ${name}_private_engine private | grep '^value'
}

suite_overlap() {
  overlap_case node || return 1
  overlap_case apart --node-size 1 || return 1
  private_case node || return 1
  private_case apart --node-size 1 || return 1
  for name in node apart; do
    for engine in alone engine; do echo "reference ${name}_stencil_${engine}_eyot_nonblocking step_wall ${name}_stencil_alone_eyot_blocking"; done
    echo "reference ${name}_stencil_alone_mpi_put step_wall ${name}_stencil_alone_eyot_blocking"
  done
}
