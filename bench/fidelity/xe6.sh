# SPDX-License-Identifier: BSD-3-Clause
# xe6.sh - the part of the suite `fidelity` for the Cray XE6 of foMPI (xe6.tsv).

# xe6_run UNITS [OPTIONS OF eyotrun] -- PROGRAM [ARGUMENTS]: one program of bench/ on xe6.
xe6_run() {
  xe6_units=$1 xe6_options=
  shift
  while [ "$1" != -- ]; do
    xe6_options="$xe6_options $1"
    shift
  done
  shift
  xe6_program=$1
  shift
  # Words.
  measured "$build/bin/eyotrun" --fabric sim --platform xe6 --order strict -n "$xe6_units" $xe6_options "$bin/$xe6_program" "$@"
}

# cost_rows: lines `cost NAME P PUBLISHED MEDIAN ...` of bench_cost as rows NAME in ns.
cost_rows() { awk '$1 == "cost" { print "fidelity xe6_costs", $2, $5 }'; }

# Calls of one unit, whose cost does not depend on the number of units.
xe6_costs() {
  xe6_run 16 --units-per-node 1 -- bench_cost 20 | cost_rows | grep -v ' fence ' || return 1
  xe6_run 64 -- bench_cost 20 | cost_rows | grep ' inject_within_node ' || return 1
}

fidelity_xe6() {
  xe6_costs
}
