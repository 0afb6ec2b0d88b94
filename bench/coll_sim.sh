# SPDX-License-Identifier: BSD-3-Clause
# coll_sim.sh - the parts of coll_places.sh's runs on the simulator: $build, $coll_platform and
# coll_eyotrun, which runs eyotrun, are the caller's.

coll_sim_info() { # UNITS FUNCTION ARGUMENTS...
  coll_units=$1
  shift
  "$build/bin/eyot-info" --coll "$@" --units "$coll_units" --platform "$coll_platform"
}

# Calls of a case: five, because one in five of broadcasts and the like begins with a barrier; of
# those that send to all others, which take long to simulate, two.
coll_sim_times() {
  case $1 in allgather:* | alltoall:*) echo "$1:2" ;; *) echo "$1:5" ;; esac
}

coll_sim_run() { # UNITS RULES CASE...
  coll_units=$1 coll_text=$2
  shift 2
  # shellcheck disable=SC2046
  EYOT_COLL=$coll_text coll_eyotrun --fabric sim --platform "$coll_platform" --order strict --shared-globals -n "$coll_units" "$build/bench/bench_coll_scale" \
    $(for case in "$@"; do coll_sim_times "$case"; done)
}
