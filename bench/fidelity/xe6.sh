# SPDX-License-Identifier: BSD-3-Clause
# xe6.sh - the part of the suite `fidelity` for the Cray XE6 of foMPI (xe6.tsv). fidelity_xe6_small
# is what tests run: costs, latency, atomics, rate, overlap. $xe6_engine is the executor.
xe6_engine=fiber

# xe6_run UNITS [OPTIONS OF eyotrun] -- PROGRAM [ARGUMENTS]: a program on xe6.
xe6_run() {
  xe6_units=$1 xe6_options=
  shift
  while [ "$1" != -- ]; do
    xe6_options="$xe6_options $1"
    shift
  done
  shift
  # Words.
  measured "$build/bin/eyotrun" --fabric sim --platform xe6 --engine $xe6_engine --order strict -n "$xe6_units" $xe6_options "$@"
}

# Calls whose cost does not depend on the number of units, in ns: lines `cost NAME P PUBLISHED MEDIAN ...`.
xe6_costs() {
  out=$(xe6_run 4 --units-per-node 1 -- "$bin/bench_cost" 20) || return 1
  echo "$out" | awk '$1 == "cost" && $2 != "fence" { print "fidelity xe6_costs", $2, $5 }'
  out=$(xe6_run 64 -- "$bin/bench_cost" 20) || return 1
  echo "$out" | awk '$2 == "inject_within_node" { print "fidelity xe6_costs", $2, $5 }'
}

# Section 3.1.
xe6_operations() {
  for units in 4 2; do
    nodes=
    [ $units -eq 2 ] || nodes='--units-per-node 1'
    out=$(xe6_run $units $nodes -- "$bin/bench_fompi") || return 1
    echo "$out" | grep '^fidelity'
  done
}

# Figure 8: the fence, and the ring of post, start, complete and wait, over the number of units, in us.
xe6_synchronization() { # UNITS ROUNDS
  out=$(xe6_run "$1" -- "$bin/bench_cost" "$2") || return 1
  echo "$out" | awk '$1 != "cost" { next }
    $2 == "fence" { print "fidelity xe6_fence fence@" $3, $5 / 1000 }
    $2 ~ /_ring$/ { sum += $5; p = $3 }
    END { print "fidelity xe6_pscw ring@" p, sum / 1000 }'
}

# Figure 9a: millions of inserts a second.
xe6_hashtable() { # UNITS INSERTS
  out=$(xe6_run "$1" --shared-globals -- "$build/examples/hashtable" --inserts "$2" --no-verify) || return 1
  echo "$out" | awk -v p="$1" '/inserts\/s in/ { print "fidelity xe6_hashtable inserts@" p, $2 / 1e6 }'
}

# Figure 9b: an exchange by each protocol in us, and alltoall's time as a multiple of accumulate's.
xe6_dsde() { # UNITS PROTOCOLS
  out=
  for protocol in $2; do out="$out
$(xe6_run "$1" --shared-globals -- "$build/examples/dsde" --protocol $protocol --rounds 3)" || return 1; done
  echo "$out" | awk -v p="$1" '/us an exchange in/ {
      sub(":", "", $2); us[$2] = $3
      print "fidelity xe6_dsde " $2 "@" p, $3 }
    END { if ("alltoall" in us) print "fidelity xe6_dsde alltoall_to_accumulate@" p, us["alltoall"] / us["accumulate"] }'
}

fidelity_xe6_small() {
  xe6_costs && xe6_operations
}

fidelity_xe6() {
  fidelity_xe6_small || return 1
  for units in 4 16 64 256 1024 4096 8192; do
    [ $units -gt "$fidelity_units" ] || xe6_synchronization $units 5 || return 1
  done
  for units in 32 64 256 1024 4096 32768; do
    [ $units -gt "$fidelity_units" ] || xe6_hashtable $units $((units > 1024 ? 16 : 64)) || return 1
  done
  for units in 64 256 1024 4096 32768; do
    [ $units -gt "$fidelity_units" ] && continue
    protocols='accumulate notify'
    [ $units -gt 4096 ] || protocols="$protocols alltoall"
    xe6_dsde $units "$protocols" || return 1
  done
}
