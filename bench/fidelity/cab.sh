# SPDX-License-Identifier: BSD-3-Clause
# cab.sh - the part of the suite `fidelity` for LLNL's Cab, on which A. Friedley measured (cab.tsv).
# Reordering of operations is off (--order strict): the prices show alone. Tests run
# fidelity_cab_small, which is all of it. $cab_engine is the executor.
cab_engine=fiber

# cab_run UNITS [OPTIONS OF eyotrun] -- PROGRAM [ARGUMENTS]: a program on cab.
cab_run() {
  cab_units=$1 cab_options=
  shift
  while [ "$1" != -- ]; do
    cab_options="$cab_options $1"
    shift
  done
  shift
  # Words.
  measured "$build/bin/eyotrun" --fabric sim --platform cab --engine $cab_engine --order strict -n "$cab_units" $cab_options "$@"
}

fidelity_cab_small() {
  cab_run 2 -- "$bin/bench_opbench" cab socket || return 1
  # Two nodes below one leaf switch, and below two.
  cab_run 2 --units-per-node 1 -- "$bin/bench_opbench" cab leaf || return 1
  cab_run 2 --units-per-node 1 --node-placement spread -- "$bin/bench_opbench" cab apart
}

fidelity_cab() {
  fidelity_cab_small
}
