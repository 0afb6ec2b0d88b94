# SPDX-License-Identifier: BSD-3-Clause
# suite_fidelity.sh - the suite `fidelity` of run.sh: figures that others published, beside what the
# simulator says in virtual time. bench/fidelity/MACHINE.sh runs the programs of a machine, in a
# function fidelity_MACHINE, and prints lines
#   fidelity TABLE ROW OURS
# bench/fidelity/MACHINE.tsv has the published figure, its source, the reason of a deviation and the
# bounds within which it must stay, for each row; fidelity.awk describes it and prints the tables.
# $BENCH_MACHINES limits the run to some machines; $BENCH_UNITS (4096) is the largest number of
# units that a row over the number of units goes to.
fidelity_units=${BENCH_UNITS:-4096}
for part in "$here"/fidelity/*.sh; do . "$part"; done

# fidelity_machines: their names.
fidelity_machines() {
  for part in "$here"/fidelity/*.sh; do basename "$part" .sh; done
}

suite_fidelity() {
  for machine in ${BENCH_MACHINES:-$(fidelity_machines)}; do
    [ -f "$here/fidelity/$machine.sh" ] || { say "no machine '$machine' in BENCH_MACHINES; there are: $(fidelity_machines | tr '\n' ' ')"; return 1; }
    "fidelity_$machine" || return 1
  done
}
