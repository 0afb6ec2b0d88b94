#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# scale_memory.sh EYOTRUN PROGRAM FEW MANY - the memory (VmRSS + VmPTE) that one more unit takes,
# from two runs of bench_scale, after each phase, against what is allowed. Heaps are as close to
# each other as a million units have them. Memory does not depend on the machine's load; 5 % are
# left for another compiler's stacks.
set -u
eyotrun=$1 program=$2 few=$3 many=$4
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
for n in "$few" "$many"; do
  "$eyotrun" --fabric sim --platform xc40 --shared-globals --heap-size 128K --heap-max 256K -n "$n" "$program" start alloc ring lock allreduce >"$log.run" 2>&1 ||
    { cat "$log.run"; rm -f "$log.run"; echo "scale_memory: $n units failed"; exit 1; }
  sed -n "s/^phase /$n /p" "$log.run" >>"$log"
done
rm -f "$log.run"
awk -v few="$few" -v many="$many" '
  BEGIN { allowed["start"] = 13.2; allowed["alloc"] = 13.9; allowed["ring"] = 13.9; allowed["lock"] = 15.1; allowed["allreduce"] = 15.9 }
  $1 == few { before[$2] = $10 }
  $1 == many && $2 in before {
    kib = ($10 - before[$2]) / (many - few)
    printf "scale_memory: %-10s %.2f KiB a unit, allowed are %.1f\n", $2, kib, allowed[$2]
    if (kib > allowed[$2] || kib <= 1) bad = 1
    n++
  }
  END { if (n != 5) { print "scale_memory: not all phases were measured"; exit 1 } exit bad }' "$log"
