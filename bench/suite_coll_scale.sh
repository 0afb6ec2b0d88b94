# SPDX-License-Identifier: BSD-3-Clause
# suite_coll_scale.sh - the suite `coll-scale` of run.sh: virtual time of every collective over the
# number of simulated units and the size of the message, from a common start to the last unit's end
# (bench_coll_scale.c), and wall time of alltoall. coll_model.awk adds, from the platform's figures
# as eyot-info prints them, the LogP bound over nodes, the model of multi-object algorithms, and the
# bound of memory for 1 MiB on a node. $BENCH_PLATFORM (xc40) is the machine, $BENCH_SCALE_MAX
# (65536) the largest number of units. Printed by coll_scale.awk. Then collectives on global memory
# in each mode (coll_modes.awk), and each algorithm beside the choice (coll_places.sh, coll_heat.awk).

# coll_scale_run UNITS WHAT:BYTES[:TIMES] ...
coll_scale_run() {
  units=$1
  shift
  measured "$build/bin/eyotrun" --fabric sim --platform "$coll_platform" --order strict --shared-globals -n "$units" "$bin/bench_coll_scale" "$@" >"$bin/out" || return 1
  cat "$bin/out"
}

# The cases of a number of units. A block of allgather and alltoall is of each unit: memory, and of
# alltoall messages, grow by the square.
coll_scale_cases() { # UNITS
  echo barrier:0
  for bytes in 8 512 4096; do
    for what in broadcast reduce allreduce; do echo "$what:$bytes"; done
  done
  echo scan:8
  # Their order of combination matters.
  for what in reduce allreduce scan; do echo "${what}_double:8"; done
  if [ "$1" -le 4096 ]; then
    for what in broadcast reduce allreduce; do echo "$what:32768"; done
    for what in gather scatter allgather exscan; do echo "$what:8"; done
  fi
  if [ "$1" -le 1024 ]; then
    for what in gather allgather; do echo "$what:512"; done
    echo alltoall:8 alltoall:512:1
  fi
}

coll_eyotrun() { measured "$build/bin/eyotrun" "$@"; }

# The algorithms at the places of coll_grid.txt, up to so many units.
coll_scale_places() {
  for units in $(coll_shapes "$here/coll_grid.txt" sim); do
    [ "$units" -le "${BENCH_SCALE_MAX:-65536}" ] || continue
    coll_places "$here/coll_grid.txt" sim coll_sim_info coll_sim_run "$units" || return 1
  done
}

# Collectives on global memory, by the modes of synchronization. Five calls each: one in five of
# those with a root begins with a barrier.
coll_scale_modes() {
  for units in 24 64 256; do
    [ "$units" -le "${BENCH_SCALE_MAX:-65536}" ] || continue
    # shellcheck disable=SC2046
    coll_scale_run "$units" $(coll_modes_cases 8 512 | sed 's/$/:5/') | coll_modes_lines "$units" || return 1
  done
}

suite_coll_scale() {
  coll_platform=${BENCH_PLATFORM:-xc40}
  "$build/bin/eyot-info" --platform "$coll_platform" >"$bin/platform" || return 1
  cores=$(awk '$1 == "cores" { print $2 }' "$bin/platform")
  {
    for units in 64 256 1024 4096 16384 65536; do
      [ "$units" -le "${BENCH_SCALE_MAX:-65536}" ] || continue
      # shellcheck disable=SC2046
      coll_scale_run "$units" $(coll_scale_cases "$units") || return 1
    done
    # Growth of the wall time of alltoall, and off powers of two.
    for units in 256 384 512 768 1024 1536 2048; do coll_scale_run "$units" alltoall:8:1 | sed 's/^case alltoall/case alltoall_once/' || return 1; done
    for units in "$cores" $((4 * cores)); do
      coll_scale_run "$units" broadcast:1048576:2 allreduce:1048576:2 reduce:1048576:2 allreduce_double:1048576:2 reduce_double:1048576:2 || return 1
    done
  } | awk -f "$here/coll_model.awk" "$bin/platform" -
  coll_scale_modes || return 1
  coll_scale_places
}
