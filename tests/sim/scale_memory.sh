#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# scale_memory.sh EYOTRUN PROGRAM FEW MANY - the memory (VmRSS + VmPTE) that one more unit takes,
# from two runs of bench_scale, after each phase, against what is allowed. Heaps are as close to
# each other as a million units have them. MANY is beyond 12,000, where stacks have no guard pages.
# Memory does not depend on the machine's load; 4 % are left for other compilers. A second page of
# stack would be 4 KiB more (docs/adr/0110).
set -u
eyotrun=$1 program=$2 few=$3 many=$4
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
for n in "$few" "$many"; do
  "$eyotrun" --fabric sim --platform xc40 --shared-globals --heap-size 128K --heap-max 128K -n "$n" "$program" alloc barrier ring lock allreduce >"$log.run" 2>&1 ||
    { cat "$log.run"; rm -f "$log.run"; echo "scale_memory: $n units failed"; exit 1; }
  sed -n "s/^phase /$n /p" "$log.run" >>"$log"
done
rm -f "$log.run"
awk -v few="$few" -v many="$many" '
  BEGIN { allowed["start"] = 12; allowed["alloc"] = 12.3; allowed["barrier"] = 12.1; allowed["ring"] = 12.6; allowed["lock"] = 12.7; allowed["allreduce"] = 12.9 }
  $1 == few { before[$2] = $10 }
  $1 == many && $2 in before {
    kib = ($10 - before[$2]) / (many - few)
    printf "scale_memory: %-10s %.2f KiB a unit, allowed are %.1f\n", $2, kib, allowed[$2]
    if (kib > allowed[$2] || kib <= 1) bad = 1
    n++
  }
  END { if (n != 6) { print "scale_memory: not all phases were measured"; exit 1 } exit bad }' "$log"
