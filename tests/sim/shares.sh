#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shares.sh EYOTRUN PROGRAM PLATFORM_FILE - messages on a shared network, in virtual time: a short one passes long ones, equal flows end together, many small messages
# have the share of one flow, totals stay; and with --network booked the first message takes all. Each line of flows is one run of tests/programs/shares.c.
run=$1 program=$2 file=$3
bad=0
# one chassis of four routers, two nodes a router, one core a node: unit = node; units 0 and 1 share the links of their router, all of 5.25 GB/s
row=dragonfly:groups=1,chassis=1,blades=4,nodes=2,cores=1,numa=1
# two nodes of four cores at one router: their units share a NIC of 10 GB/s, and no link
nic=dragonfly:groups=1,chassis=1,blades=1,nodes=2,cores=4,numa=1

# took PLATFORM OPTIONS FLOW...: the flows' times in ns, in their order.
took() {
  platform=$1 options=$2
  shift 2
  # Options are words.
  "$run" --fabric sim -n 8 --platform "$platform" --order strict $options "$program" "$@" | sed -n 's/^flow \([0-9]*\): \([0-9]*\) ns$/\1 \2/p' | sort -n | cut -d' ' -f2 | tr '\n' ' '
}
# expect WHAT CONDITION TIMES: the condition over the times t[1], t[2], ...
expect() {
  printf '%s\n' "$3" | awk "{ for (i = 1; i <= NF; i++) t[i] = \$i + 0; exit !(NF > 0 && $2) }" || {
    echo "$1: '$3', expected $2"
    bad=1
  }
}

idle=$(took $row '' 1:3:8:1:0)
beside=$(took $row '' 1:3:8:1:1000 0:2:4194304:1:0)
expect "8 bytes beside 4 MiB on their links (idle, beside)" 't[2] <= 1.2 * t[1]' "$idle $beside"
expect "4 MiB with 8 bytes passing" 't[2] >= 798000 && t[2] <= 806000' "$beside"
expect "8 bytes beside 4 MiB, booked" 't[1] > 700000' "$(took $row '--network booked' 1:3:8:1:1000 0:2:4194304:1:0)"
expect "8 bytes beside 4 MiB out of one NIC (idle, beside)" 't[2] <= 1.2 * t[1]' "$(took $nic '' 0:5:8:1:1000) $(took $nic '' 0:5:8:1:1000 1:4:4194304:1:0)"
expect "8 bytes beside 4 MiB into one NIC (idle, beside)" 't[2] <= 1.2 * t[1]' "$(took $row '' 4:0:8:1:1000) $(took $row '' 4:0:8:1:1000 2:0:4194304:1:0)"
expect "a get of 8 bytes beside a get of 4 MiB (idle, beside)" 't[2] <= 1.2 * t[1]' "$(took $row '' g1:3:8:1:1000) $(took $row '' g1:3:8:1:1000 g0:2:4194304:1:0)"
# packets of a file's machine have 4 KiB, 820 ns of the backbone of 5 GB/s that they share
expect "8 bytes beside 4 MiB over a backbone (idle, beside)" 't[2] <= 1.2 * (t[1] + 820)' "$(took "$file" '--units-per-node 1' 1:5:8:1:1000) $(took "$file" '--units-per-node 1' 1:5:8:1:1000 0:4:4194304:1:0)"

# hosts of a file whose NICs have no limit: unit 5 has what the flow from the other rack leaves of the link into unit 6, 7.5 of 10 GB/s
expect "4 MiB beside a flow that shares a backbone" 't[1] > 550000 && t[1] < 620000' "$(took "$file" '--units-per-node 1' 5:6:4194304:1:0 0:5:4194304:1:0 2:6:6291456:1:0)"

for kind in p g; do
  for bytes in 16384 65536 1048576; do
    expect "two flows of $bytes bytes ($kind)" 't[1] / t[2] > 0.95 && t[1] / t[2] < 1.05' "$(took $row '' ${kind}0:2:$bytes:1:0 ${kind}1:3:$bytes:1:0)"
    expect "two flows of $bytes bytes out of one NIC ($kind)" 't[1] / t[2] > 0.95 && t[1] / t[2] < 1.05' "$(took $nic '' ${kind}0:4:$bytes:1:0 ${kind}1:5:$bytes:1:0)"
  done
  expect "two flows against one ($kind)" 't[2] > 1.97 * t[1] && t[3] < 2.01 * t[1]' "$(took $row '' ${kind}0:2:1048576:1:0) $(took $row '' ${kind}0:2:1048576:1:0 ${kind}1:3:1048576:1:0)"
done
expect "128 messages of 8 KiB beside 4 of 1 MiB" 't[1] > 380000 && t[1] < 420000 && t[2] > 990000 && t[2] < 1010000' "$(took $row '' 0:2:8192:128:0 1:3:1048576:4:0)"
expect "1024 messages of 1 KiB beside 4 of 1 MiB" 't[1] > 360000 && t[1] < 460000 && t[2] > 990000 && t[2] < 1010000' "$(took $row '' 0:2:1024:1024:0 1:3:1048576:4:0)"
expect "a flow that comes later has half at once" 't[1] > 395000 && t[1] < 405000 && t[2] > 495000 && t[2] < 505000' "$(took $row '' 1:3:1048576:1:200000 0:2:1572864:1:100000)"
expect "three into one NIC of 10 GB/s" 't[1] > 310000 && t[3] < 320000' "$(took $row '' 2:0:1048576:1:0 4:0:1048576:1:0 6:0:1048576:1:0)"
expect "an order between long messages does not stop the pipe" 't[2] < 1.01 * t[1]' "$(took $row '' 0:2:65536:16:0) $(took $row '' f0:2:65536:16:0)"
[ "$beside" = "$(took $row '--engine simgrid' 1:3:8:1:1000 0:2:4194304:1:0)" ] || { echo "the executors differ"; bad=1; }

# Copies within a domain of a node whose processors copy 12 GB/s, and whose memory, which a copy reads and writes, has 55: 87 us for 1 MiB, and 38 for each of many.
node=xc40
# copies KIND COUNT BYTES: flows from each unit to the next.
copies() {
  i=0
  while [ $i -lt "$2" ]; do
    printf '%s%d:%d:%d:1:0 ' "$1" $i $(((i + 1) % 8)) "$3"
    i=$((i + 1))
  done
}
for kind in p g; do
  expect "a copy of 1 MiB ($kind)" 't[1] > 87400 && t[1] < 87600' "$(took $node '' $(copies $kind 1 1048576))"
  for bytes in 16384 65536 1048576; do
    expect "two copies of $bytes bytes ($kind)" 't[1] / t[2] > 0.95 && t[1] / t[2] < 1.05' "$(took $node '' $(copies $kind 2 $bytes))"
  done
  expect "two copies of 1 MiB ($kind)" 't[1] < 91800 && t[2] < 91800' "$(took $node '' $(copies $kind 2 1048576))"
  expect "three copies of 1 MiB ($kind)" 't[1] > 108700 && t[1] < 120100 && t[2] > 108700 && t[2] < 120100 && t[3] > 108700 && t[3] < 120100' "$(took $node '' $(copies $kind 3 1048576))"
  expect "eight copies of 1 MiB ($kind)" 't[1] > 290000 && t[1] < 320000 && t[8] > 290000 && t[8] < 320000' "$(took $node '' $(copies $kind 8 1048576))"
done
expect "three copies of 1 MiB, booked: one after the other" 't[1] > 163000 || t[2] > 163000 || t[3] > 163000' "$(took $node '--network booked' $(copies p 3 1048576))"
# a piece of 8 KiB takes 298 ns of memory
expect "4 KiB beside six copies (idle, beside)" 't[2] <= 1.2 * (t[1] + 298)' "$(took $node '' 6:7:4096:1:50000) $(took $node '' $(copies p 6 1048576) 7:6:4096:1:50000 | cut -d' ' -f7)"
expect "a copy that comes later has its share at once" 't[4] > 145000 && t[4] < 160000' "$(took $node '' $(copies p 3 2097152) 3:4:1048576:1:100000)"
expect "copies of one unit, one after the other" 't[1] > 349000 && t[1] < 351000' "$(took $node '' 0:1:1048576:4:0)"
expect "two flows of 1 MiB through the NIC of their node" 't[1] / t[2] > 0.95 && t[1] / t[2] < 1.05' "$(took $nic '--on-node nic' 0:1:1048576:1:0 2:3:1048576:1:0)"
expect "an order between copies does not stop them" 't[2] < 1.01 * t[1]' "$(took $node '' 0:1:65536:16:0) $(took $node '' f0:1:65536:16:0)"
shared=$(took $node '' $(copies g 3 1048576) 7:6:4096:1:50000)
[ "$shared" = "$(took $node '--engine simgrid' $(copies g 3 1048576) 7:6:4096:1:50000)" ] || { echo "the executors differ in copies"; bad=1; }
[ "$shared" = "$(took $node '--engine simgrid --network simgrid' $(copies g 3 1048576) 7:6:4096:1:50000)" ] || { echo "SimGrid's flows change copies"; bad=1; }
exit $bad
