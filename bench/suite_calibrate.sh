# SPDX-License-Identifier: BSD-3-Clause
# suite_calibrate.sh - the suite `calibrate` of run.sh: eyot-calibrate measures this machine, and the
# simulator predicts programs on it that were not part of that: ping-pong, barrier, allreduce
# (bench_predict), gups, the hash table, heat3d. Two units, within a node and on two virtual nodes.
# Each round runs every program on mpi twice (the second is A/A) and once in the simulator, whose
# times are virtual. Lines: measured|again|predicted WORKLOAD NS. Printed by calibrate.awk.

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

suite_calibrate() {
  machine=$bin/calibrate.machine
  "$build/bin/eyot-calibrate" --output "$machine" >&2 || return 1
  round=0
  while [ $round -lt "$rounds" ]; do
    for place in node network; do
      case $place in
        node) apart= nodes= ;;
        network) apart="--node-size 1" nodes="--units-per-node 1" ;;
      esac
      for turn in measured again; do
        predict_all "" --fabric mpi $apart | sed "s/^/$turn ${place}_/"
      done
      predict_all "--compute measured" --fabric sim --platform "$machine" $nodes | sed "s/^/predicted ${place}_/"
    done
    round=$((round + 1))
  done
}
