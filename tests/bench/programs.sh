#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# programs.sh BUILD_DIR FABRIC - the benchmark programs that verify themselves, small: they run, print the lines that the tables are made of, and refuse what they cannot do.
set -u
build=$1 fabric=$2 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 gups=bench_gups clock=virtual machine='--platform xc40 --order strict'
[ "$fabric" = sim ] || gups=bench_gups_mpi clock=wall machine=''

fail() { echo "programs.sh: $*"; cat "$work/out"; bad=1; }

# run CODE UNITS PROGRAM ARGUMENTS...
run() {
  want=$1 units=$2 program=$3 code=0
  shift 3
  # Words.
  timeout 100 "$build/bin/eyotrun" --fabric "$fabric" $machine -n "$units" "$build/bench/$program" "$@" >"$work/out" 2>&1 || code=$?
  [ $code -eq "$want" ] || fail "$program $* on $units units: exit code $code, expected $want"
}

# value CASE METRIC UNIT: how many such lines there are, with a number above 0.
values() { awk -v c="$1" -v m="$2" -v u="$3" '$1 == "value" && $2 == c && $3 == m && $4 == u && NF == 5 && $5 > 0 { n++ } END { print n + 0 }' "$work/out"; }

run 0 4 bench_distance here 2
for distance in 1 2 3; do
  for size in 8B 1MiB; do
    for way in put get; do
      [ "$(values ${way}_$size@$distance latency_${size}_${clock}_here us)" = 2 ] || fail "not two lines of ${way}_$size@$distance"
    done
  done
done
if [ "$fabric" = sim ]; then
  # The prices of the platform: 24 cores in two sockets a node.
  run 0 25 bench_distance here
  awk '{ t[$2] = $5 } END { exit !(t["put_8B@11"] < t["put_8B@12"] && t["put_8B@12"] < t["put_8B@24"] && t["put_8B@23"] * 5 < t["put_8B@24"]) }' "$work/out" || fail "no steps at 12 and 24"
fi
run 2 1 bench_distance here
run 2 2 bench_distance here 0

run 0 2 bench_predict
[ "$(awk '$1 == "predict" && NF == 3 && $3 > 0 { n++ } END { print n + 0 }' "$work/out")" = 5 ] || fail "not five workloads"
run 2 3 bench_predict

run 0 2 $gups here 10 2 64
ways=eyot
[ "$fabric" = sim ] || ways='eyot mpi mpi_again'
for way in $ways; do [ "$(values $way@2 rate_${clock}_here GUP/s)" = 2 ] || fail "not two lines of $way@2"; done
run 2 3 $gups here 10 1
run 2 2 $gups here 10 1 4097
# So small a table that units lose more than one update in a hundred to each other: this must be found.
if [ "$fabric" = sim ]; then
  run 1 32 $gups here 1 1 8
  grep -q 'words wrong' "$work/out" || fail "lost updates are not reported"
fi
# Each way of an exchange verifies itself.
if [ "$fabric" = mpi ]; then
  run 0 2 bench_fusion 1
  for way in mpi mpi_again eyot_msg eyot_own flags eyot_exchange fused_flags; do
    for atoms in 16 128 1024 8192 65536; do [ "$(values atoms_${atoms}_$way time ns)" = 1 ] || fail "not a line of atoms_${atoms}_$way"; done
  done
  run 2 3 bench_fusion 1
fi
# The patterns of traffic, each beside its floor: as many operations on both sides, atomics add up.
if [ "$fabric" = sim ]; then
  for pattern in next random atomics gets locks halo; do
    run 0 40 bench_traffic $pattern 3 2
    ops=$(awk '$1 == "ops" { print $2 }' "$work/out")
    "$build/bench/bare_fiber" 40 $pattern 3 2 >"$work/out" || fail "bare_fiber $pattern"
    case $pattern in halo) want=$((40 * 3 * 2 * 12)) ;; *) want=$((40 * 3 * 2)) ;; esac
    [ "$ops" = "$want" ] && [ "$(awk '$1 == "ops" { print $2 }' "$work/out")" = "$want" ] || fail "$pattern: $ops operations of bench_traffic, expected $want of both"
  done
  run 2 2 bench_traffic nothing 1 1
  run 2 2 bench_traffic random 0 1
  "$build/bench/bare_fiber" 2 nothing 1 1 >"$work/out" 2>&1 && fail "bare_fiber takes an unknown pattern"
fi

# Allocation, and the part of a transfer that is left to the program: virtual figures are exact.
if [ "$fabric" = sim ]; then
  run 0 8 bench_alloc here 2
  grep -qx 'value alloc_1B@8 time_virtual_here us 0.562' "$work/out" && grep -qx 'value allgather@8 time_virtual_here us 0.5905' "$work/out" || fail "other times of 8 units"
  run 2 8 bench_alloc here 0
  run 0 2 bench_available here
  for line in 'put@16384 availability_virtual_here % 4.027' 'get@1048576 availability_virtual_here % 0.06744'; do grep -qx "value $line" "$work/out" || fail "no line: $line"; done
  run 2 3 bench_available here
  run 0 3 bench_engine here
  for line in 'put@8 bandwidth_direct_here GB/s 0.319202' 'put@8 bandwidth_engine_here GB/s 0.0868385' 'get availability_here % 94.9'; do grep -qx "value $line" "$work/out" || fail "no line: $line"; done
  run 0 24 bench_engine stencil 512 24
  grep -q '^value 22 step_engine us ' "$work/out" || fail "no step of 22 units"
  run 2 24 bench_engine stencil 512 23
  run 2 2 bench_engine here
fi
# Collectives by name, on global memory too; each verifies itself.
all='broadcast:24 reduce:24 allreduce:24 gather:24 allgather:24 alltoall:24'
for function in broadcast gather gather_all exchange; do for mode in nosync mysync allsync; do all="$all global_${function}_$mode:24"; done; done
if [ "$fabric" = sim ]; then program=bench_coll_scale machine="$machine --shared-globals"; else program=bench_coll_wall; fi
run 0 3 $program barrier:0 $all
[ "$(grep -c "^case [a-z_]* bytes [0-9]* units 3 ${clock}_ns [1-9]" "$work/out")" = 19 ] || fail "not 19 cases"
for wrong in broadcast broadcast:0 barrier:8 broadcast:12 global_broadcast:8 global_reduce_nosync:8 broadcast:8x; do
  run 2 2 $program $wrong
  grep -q "'$wrong': expected" "$work/out" || fail "$wrong is not named"
done
exit $bad
