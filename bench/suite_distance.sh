# SPDX-License-Identifier: BSD-3-Clause
# suite_distance.sh - the suite `distance` of run.sh: put and get from unit 0 to all others of a
# simulated xc40, after figures 6.8 and 6.9 of Zhou, and with one unit on each node, to reach other
# chassis and groups too. Virtual time, so one run. With --order strict the model's prices show
# alone, without the delays by which the simulator reorders operations. Printed by steps.awk.
distance_job() { # PLACE EYOTRUN_OPTIONS...
  place=$1
  shift
  measured "$build/bin/eyotrun" --fabric sim --platform xc40 --order strict "$@" "$bin/bench_distance" "$place" | grep '^value'
}

suite_distance() {
  distance_job xc40 -n 256 || return 1
  distance_job xc40_one_a_node -n 512 --units-per-node 1
}
