#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# buffers.sh BIN_DIR EVERY - the race detectors on the cases of buffers.txt and buffers.awk, in eyotrun --races and in eyotcheck: each race must be found
# with both lines, and nothing else may be reported. Prints recall and precision of both. EVERY: so many racy cases apart are those
# that eyotcheck runs; 1: all.
set -u
bin=$1 every=$2
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
programs=$here/../programs
awk -v LIST=list -f "$here/buffers.awk" "$here/buffers.txt" >buffers.c || exit 1
"$bin/eyotcc" -g -O1 -w --instrument=accesses -I"$programs" buffers.c -o buffers || exit 1
awk '$2 == "clean" { print $1 }' list >clean
awk '$2 != "clean"' list >racy
awk -v every="$every" 'NR % every == 0' racy >some
common="-n 3 --heap-size 256K"

# pairs FILE TOOL: the pairs of lines of the races that a tool has reported, in ascending order.
pairs() {
  sed -n "s/^$2.*race: unit [0-9]* in [a-z_0-9 ]* (\([a-z.]*:[0-9]*\) [^,]*, unit [0-9]* in [a-z_0-9 ]* (\([a-z.]*:[0-9]*\) .*/\1 \2/p" "$1" |
    awk '{ print ($1 < $2 ? $1 " " $2 : $2 " " $1) }' | sort -u
}

# With time: groups of cases, since at most 20 pairs are shown. The clean cases in one run.
timed() {
  cut -d' ' -f1 racy | xargs -n 15 "$bin/eyotrun" --fabric sim $common --races ./buffers >timed.out 2>&1
  pairs timed.out 'eyot: ' >timed.got
  xargs "$bin/eyotrun" --fabric sim $common --races ./buffers <clean >timed.clean 2>&1
  grep -q '^eyot: 0 races found' timed.clean || echo "a clean case" >>timed.wrong
  pairs timed.clean 'eyot: ' >>timed.wrong
}

# Explored: a race ends a run, so that each racy case has a search of its own, a tenth of a second. The clean cases in a few runs.
explored() {
  cut -d' ' -f1 some | xargs -P 2 -I CASE sh -c '"$0" $1 --runs 5 --detect race --no-shrink --fewer-units=off --save "$2.run" ./buffers "$2" >"$2.out" 2>&1' "$bin/eyotcheck" "$common" CASE
  while read -r name _; do pairs "$name.out" 'eyotcheck: run [0-9]* failed: '; done <some | sort -u >explored.got
  xargs "$bin/eyotcheck" $common --runs 3 --detect race --no-shrink --fewer-units=off ./buffers <clean >explored.clean 2>&1 || echo "a clean case" >>explored.wrong
  pairs explored.clean 'eyotcheck: run [0-9]* failed: ' >>explored.wrong
}

# judge TOOL CASES: compares TOOL.got with the racy cases in the file CASES.
judge() {
  awk -v tool="$1" -v cases="$2" '
    FILENAME == cases { key = $2 < $3 ? $2 " " $3 : $3 " " $2; wanted[key] = $1; n++; next }
    FILENAME == tool ".got" { if ($0 in wanted) { found++; delete wanted[$0] } else { wrong++; print "buffers: " tool ": reported, but no race: " $0 }; next }
    { wrong++; print "buffers: " tool ": reported in a clean run: " $0 }
    END {
      for (key in wanted) print "buffers: " tool ": not found: " wanted[key] " (" key ")"
      precision = found ? found / (found + wrong) : 0
      printf "buffers: %s: %d racy, recall %.3f, precision %.3f\n", tool, n, found / n, precision
      exit found != n || wrong > 0
    }' "$2" "$1.got" "$1.wrong"
}

: >timed.wrong
: >explored.wrong
timed
explored
bad=0
judge timed racy || bad=1
judge explored some || bad=1
[ $bad = 0 ] || { cat timed.clean explored.clean | grep -E 'race:|failed|Error|error' | head -5; }
echo "buffers: $(wc -l <racy) racy cases and $(wc -l <clean) clean ones"
[ "$(wc -l <list)" -ge 100 ] || bad=1
exit $bad
