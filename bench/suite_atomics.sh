# SPDX-License-Identifier: BSD-3-Clause
# suite_atomics.sh - the suite `atomics` of run.sh: both ways of atomics in jobs of several
# (virtual) nodes with progress processes, interleaved. 2x2: two nodes of two units; 4x1: four nodes
# of one. mpi and owner are settings of EYOT_ATOMICS; again is mpi a second time (A/A). Wall time,
# on mpi.

atomics_run() { # SHAPE NODE_SIZE WAY NAME
  out=$(measured "$build/bin/eyotrun" --fabric mpi -n 4 --node-size "$2" --progress 1 --atomics "$3" "$bin/bench_atomics" "$4") || return 1
  echo "$out" | sed -n "s/^value /value $1_/p"
}

suite_atomics() {
  i=0
  while [ $i -lt "$rounds" ]; do
    for shape in 2x2 4x1; do
      if [ $shape = 2x2 ]; then size=2; else size=1; fi
      for way in mpi owner; do atomics_run $shape $size $way $way || return 1; done
      atomics_run $shape $size mpi again || return 1
    done
    i=$((i + 1))
  done
  for shape in 2x2 4x1; do
    for case in add_own_node add_other_node add_mixed add_in_flight_own_node add_in_flight_other_node signal_own_node signal_other_node lock_of_node barrier_of_node barrier_of_all; do
      for way in owner again; do echo "reference ${shape}_${case}_$way time ${shape}_${case}_mpi"; done
    done
  done
}
