#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# patterns.sh EYOTRUN PROGRAM UNITS [PLATFORM CORES] - patterns of flows with pieces that share links (--network shared), against SimGrid's own flows under its solver (--network
# simgrid), in virtual time: prints the deviations of the mean and of the last end of a flow, which must be within 10 %. SimGrid's runs repeat themselves.
run=$1 program=$2 units=$3 platform=${4:-xc40} cores=${5:-24}
bad=0

# ends NETWORK UNITS UNITS_PER_NODE PATTERN BYTES: mean and last end in ns.
ends() {
  "$run" --fabric sim --engine simgrid --platform "$platform" --order strict --network "$1" -n "$2" --units-per-node "$3" "$program" "$4" "$5" |
    sed -n 's/^.*: mean \([0-9]*\) ns, last \([0-9]*\) ns$/\1 \2/p'
}
# pattern UNITS UNITS_PER_NODE PATTERN BYTES
pattern() {
  ours=$(ends shared "$@") theirs=$(ends simgrid "$@")
  printf '%s %s\n' "$ours" "$theirs" | awk -v what="$3, $1 units, $2 a node, $4 bytes" '
    NF == 4 { mean = 100 * ($1 / $3 - 1); last = 100 * ($2 / $4 - 1); printf "%s: mean %+.1f %%, last %+.1f %%\n", what, mean, last }
    END { exit !(NF == 4 && mean < 10 && mean > -10 && last < 10 && last > -10) }' || {
    echo "patterns: $3: shared '$ours', SimGrid '$theirs' (mean and last end, ns): expected within 10 %"
    bad=1
  }
}

# total UNITS UNITS_PER_NODE PATTERN BYTES: who waits for whom is another than where messages take links as wholes, but not when all is over, where one place is the bottleneck.
total() {
  ours=$(ends shared "$@") wholes=$(ends booked "$@")
  printf '%s %s\n' "$ours" "$wholes" | awk -v what="$3, $1 units, $2 a node, $4 bytes" '
    NF == 4 { last = 100 * ($2 / $4 - 1); printf "%s: last %+.2f %% of booked\n", what, last }
    END { exit !(NF == 4 && last < 1 && last > -1) }' || {
    echo "patterns: $3: the last end '$ours', booked '$wholes' (mean and last end, ns): expected within 1 %"
    bad=1
  }
}

for name in incast permutation bitreversal neighbor shift random; do pattern "$units" "$cores" $name 65536; done
for name in permutation random; do pattern 64 1 $name 1048576; done
pattern 32 1 alltoall 2097152
if [ "$platform" = xc40 ]; then
  for name in incast bitreversal; do total 256 1 $name 1048576; done # the latter crosses the middle of the machine
  # NICs whose rates of puts and gets differ
  for platform in xe6:bw_nic_get=2 xe6:bw_nic_put=2; do
    for name in shift incast get-shift get-incast; do pattern 16 1 $name 300000; done
  done
  platform=xc40
fi
[ "$(ends simgrid 96 "$cores" random 100000)" = "$(ends simgrid 96 "$cores" random 100000)" ] || { echo "SimGrid's flows do not repeat themselves"; bad=1; }
exit $bad
