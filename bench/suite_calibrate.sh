# SPDX-License-Identifier: BSD-3-Clause
# suite_calibrate.sh - the suite `calibrate` of run.sh: eyot-calibrate measures this machine, and the
# simulator predicts programs on it that were not part of that: ping-pong, barrier, allreduce
# (bench_predict), gups, the hash table, heat3d. Two units, each on a processor of its own as in
# eyot-calibrate's jobs, within a node and on two virtual nodes.
# Each round runs every program on mpi, calibrates, runs every program once more (A/A), and then in
# the simulator with the file of this round, whose times are virtual: a machine that is faster at one
# time than at another is so in both. Lines: measured|again|predicted WORKLOAD NS, in the order of
# rounds. Printed by calibrate.awk.

# predict_all OPTIONS...: lines "WORKLOAD NS".
predict_all() {
  compute=$1
  shift
  measured "$build/bin/eyotrun" "$@" -n 2 "$bin/bench_predict" | awk '$1 == "predict" { print $2, $3 }'
  measured "$build/bin/eyotrun" "$@" -n 2 "$build/examples/gups" --log2-table 16 --no-verify |
    awk '/GUP\/s in/ { v = $(NF - 1); sub(/^\(/, "", v); print "gups", v * 1e6 }'
  measured "$build/bin/eyotrun" "$@" -n 2 "$build/examples/hashtable" --inserts 16384 --no-verify |
    awk '/inserts\/s in/ { v = $(NF - 1); sub(/^\(/, "", v); print "hashtable", v * 1e6 }'
  for block in 12 48; do
    measured "$build/bin/eyotrun" "$@" $compute -n 2 "$build/examples/heat3d" --block $block --steps 50 --no-verify |
      awk -v name="heat3d_$block" '/(wall|virtual) time/ { for (i = 1; i < NF; i++) if ($i == "time") print name, $(i + 1) * 1e6 }'
  done
}

# predict_places TURN: every program within a node and on two virtual nodes.
predict_places() {
  for place in node network; do
    case $place in
      node) apart= nodes= ;;
      network) apart="--node-size 1" nodes="--units-per-node 1" ;;
    esac
    case $1 in
      predicted) predict_all "--compute measured" --fabric sim --platform "$machine" $nodes ;;
      *) predict_all "" --fabric mpi --mpiexec-args "-bind-to core" $apart ;;
    esac | sed "s/^/$1 ${place}_/"
  done
}

suite_calibrate() {
  machine=$bin/calibrate.machine
  round=0
  while [ $round -lt "$rounds" ]; do
    predict_places measured
    "$build/bin/eyot-calibrate" --jobs 2 --rounds 7 --output "$machine" >&2 || return 1
    predict_places again
    predict_places predicted
    round=$((round + 1))
  done
}
