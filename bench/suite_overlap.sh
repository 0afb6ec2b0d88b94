# SPDX-License-Identifier: BSD-3-Clause
# suite_overlap.sh - the suite `overlap` of run.sh: the part of a transfer's time in which the
# program can compute. Wall time, on mpi.
#   availability  one unit computes during its transfer, the other sleeps (Zhou, section 7.2.2)
#   private       the same from and to memory of malloc, with the progress engine: by the unit
#                 itself (private_direct) and by a progress process (private_engine)
#   stencil       halos of a five-point stencil while units compute (Zhou, section 7.2.3)
# Within a node and between virtual nodes; without progress processes (alone), with one on each node
# (engine), with a thread in each unit (thread); jobs of all of them take turns. For availability
# unit 0 has its own processor, and all others share another (bind.sh); the stencil computes on
# both. MPI's operations are measured too where all processes are the program's. Lines `goal CASE
# least LIMIT`: of availability. Printed by node.awk.

# overlap_with WAY: sets $with, eyotrun's options of progress, and $peer.
overlap_with() {
  with= peer=
  case $1 in
    alone) peer=mpi ;;
    engine) with="--progress 1" ;;
    thread) with="--progress thread" ;;
    private_direct) with="--progress 1 --progress-private off" peer=private ;;
    private_engine) with="--progress 1 --progress-private-bytes 4K" peer=private ;;
  esac
}

availability() { # PLACE WAY [OPTIONS]
  name=$1_$2
  overlap_with "$2"
  shift 2
  measured "$build/bin/eyotrun" --fabric mpi -n 2 "$@" $with "$here/bind.sh" "$bin/bench_overlap" "$name" 1 $peer | grep '^value' || return 1
}

stencil() { # PLACE WAY CELLS STEPS [OPTIONS]
  name=$1_$2 cells=$3 steps=$4
  overlap_with "$2"
  shift 4
  measured "$build/bin/eyotrun" --fabric mpi -n 2 "$@" $with "$bin/bench_stencil" "$name" "$cells" "$steps" $peer | grep '^value' || return 1
}

overlap_round() { # PLACE [OPTIONS]
  place=$1
  shift
  for way in alone engine thread private_direct private_engine; do availability "$place" $way "$@" || return 1; done
  [ $i -lt 2 ] || return 0
  for way in alone engine thread; do
    stencil "$place" $way 1024 40 "$@" || return 1
    stencil "$place" $way 2048 20 "$@" || return 1
    stencil "$place" $way 4096 8 "$@" || return 1
  done
}

suite_overlap() {
  i=0
  while [ $i -lt "$rounds" ]; do
    overlap_round node || return 1
    overlap_round apart --node-size 1 || return 1
    i=$((i + 1))
  done
  for name in node apart; do
    for cells in 1024 2048 4096; do
      for case in alone_eyot_nonblocking engine_eyot_blocking engine_eyot_nonblocking thread_eyot_blocking thread_eyot_nonblocking alone_mpi_put; do
        echo "reference ${name}_$case@$cells cell_wall_$name ${name}_alone_eyot_blocking@$cells"
      done
    done
    for way in put get; do
      for bytes in 65536 262144 1048576 4194304; do echo "goal ${name}_engine_${way}_eyot@$bytes least 90"; done
    done
  done
}
