#!/bin/sh
# sync_memory.sh EYOTRUN PROGRAM "KINDS" "UNITS" - bytes that each kind of object adds to a unit, for each number of units (ascending), and how they grow: LOG_BYTES
# for each doubling are allowed, for a few words a level of a tree. A single byte a peer would add thousands.
set -u
eyotrun=$1 program=$2 kinds=$3 units=$4
LOG_BYTES=64
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
for kind in $kinds; do
  for n in $units; do
    "$eyotrun" --fabric sim --shared-globals --heap-size 1M -n "$n" "$program" "$kind" >"$log.run" 2>&1 || { cat "$log.run"; rm -f "$log.run"; echo "sync_memory: $kind at $n units failed"; exit 1; }
    grep "^$kind " "$log.run" >>"$log"
  done
done
rm -f "$log.run"
awk -v allowed=$LOG_BYTES '
  function log2(x) { return log(x) / log(2) }
  # The slope of the least-squares line through (log2 units, bytes).
  function slope(b,   i, sx, sy, sxx, sxy) { for (i = 1; i <= n; i++) { sx += x[i]; sy += b[i]; sxx += x[i] * x[i]; sxy += x[i] * b[i] } return (n * sxy - sx * sy) / (n * sxx - sx * sx) }
  function kind_ends(   s1, s2) {
    s1 = slope(first); s2 = slope(more)
    printf "sync_memory: %-14s grows by %.1f and %.1f bytes a doubling\n", kind, s1, s2
    # The fit hides a jump at the end; the last step shows a byte a peer.
    if (s1 > allowed || s2 > allowed || first[n] - first[n - 1] > allowed * (x[n] - x[n - 1]) || more[n] - more[n - 1] > allowed * (x[n] - x[n - 1])) { print "sync_memory: too much; allowed are " allowed; bad = 1 }
  }
  $1 != kind { if (n > 0) kind_ends(); kind = $1; n = 0 }
  { n++; x[n] = log2($2); first[n] = $3; more[n] = $4; printf "sync_memory: %-14s %6d units: %6d bytes a unit with first use, %6d each further object\n", $1, $2, $3, $4; if ($3 == 0) { print "sync_memory: an object cannot cost nothing"; bad = 1 } }
  END { if (n < 2) { print "sync_memory: nothing was measured"; exit 1 } kind_ends(); exit bad }' "$log"
