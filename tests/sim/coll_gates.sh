#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coll_gates.sh EYOTRUN PROGRAM LIST - are the virtual times of collectives consistent with each
# other: no function slower than others that do its work, time that grows with size and units, no
# call much slower than two of half its size (coll_gates.awk has the rules)? LIST
# (tests/baseline/coll-gates.tsv): the gates that fail today.
# WRITE=1 writes LIST anew; a line of it without a reason fails until you give one.
# Why 16 calls: one-way calls in a row open with a barrier every few, and what comes at the same
# virtual time is served in an order that anything before may change, which moves one call by 2%.
# Of long messages 5 calls have one such barrier.
set -eu
run=$1 program=$2 list=$3 times=16 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cases() { # UNITS WHAT:BYTES...
  units=$1
  shift
  "$run" --fabric sim --platform xc40 --order strict --shared-globals -n "$units" "$program" "$@" >>"$work/cases" || {
    echo "coll_gates: failed: $units units, $*"
    exit 1
  }
}

# Numbers of units, in one node and in two.
units=2
while [ $units -le 52 ]; do
  cases $units barrier:0:$times broadcast:8:$times reduce:8:$times allreduce:8:$times gather:8:$times allgather:8:$times alltoall:8:$times broadcast:$((8 * units)):$times \
    scatter:8:$times scan:8:$times exscan:8:$times gatherv:8:$times scatterv:8:$times allgatherv:8:$times alltoallv:8:$times
  units=$((units + 1))
done
# Sizes.
for units in 24 60; do
  bytes=16
  set --
  while [ $bytes -le 131072 ]; do
    [ $bytes -le 1024 ] || times=5
    set -- "$@" broadcast:$bytes:$times reduce:$bytes:$times allreduce:$bytes:$times
    [ $bytes -gt 16384 ] || set -- "$@" gather:$bytes:$times allgather:$bytes:$times alltoall:$bytes:$times
    bytes=$((bytes * 2))
  done
  cases $units "$@"
  times=16
  [ $units -eq 24 ] || cases $units barrier:0:$times broadcast:8:$times reduce:8:$times allreduce:8:$times gather:8:$times allgather:8:$times alltoall:8:$times
done
if [ -n "${WRITE:-}" ]; then
  { grep '^#' "$list"; awk -v write=1 -f "$(dirname "$0")/coll_gates.awk" "$list" "$work/cases"; } >"$work/list"
  cp "$work/list" "$list"
fi
awk -v whole=1 -f "$(dirname "$0")/coll_gates.awk" "$list" "$work/cases"
