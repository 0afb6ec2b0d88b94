#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# on_node.sh EYOTRUN EYOTCHECK PROGRAM - units of one node, by memory or through the NIC (--on-node): costs in virtual time, what a put without a store buffer shows,
# and eyotcheck, which knows no prices. PROGRAM is tests/programs/on_node.c.
run=$1 check=$2 program=$3
bad=0
fail() {
  echo "$1"
  bad=1
}
# costs OPTIONS: the lines of the program but the last two.
costs() {
  "$run" --fabric sim -n 2 $1 "$program" | grep -v '^ok$\|^both-old'
}
# both OPTIONS: how often both units read the old value.
both() {
  "$run" --fabric sim -n 2 $1 "$program" | sed -n 's/^both-old //p'
}

for network in shared booked; do
  for platform in xc40 xe6; do
    nic=$(costs "--platform $platform --network $network --order strict --on-node nic")
    two=$(costs "--platform $platform --network $network --order strict --units-per-node 1")
    memory=$(costs "--platform $platform --network $network --order strict")
    [ -n "$nic" ] && [ "$nic" = "$two" ] || fail "$platform, $network: through the NIC '$nic', expected what two nodes of a router cost: '$two'"
    [ "$memory" != "$nic" ] || fail "$platform, $network: by memory it costs the same: '$memory'"
    # a clock of whole ns
    printf '%s\n%s\n' "$memory" "$nic" | awk '/^self/ { t[n++] = $2 } END { exit !(n == 2 && t[0] - t[1] <= 1 && t[1] - t[0] <= 1) }' ||
      fail "$platform, $network: a unit's own memory costs '$nic', expected '$memory'"
  done
done
some=$(both '--order chaos')
[ "$some" -gt 0 ] || fail "by memory both read the old value $some times, expected some: puts pass a store buffer"
for engine in '' ${SIMGRID:+"--engine simgrid"}; do
  none=$(both "--order chaos --on-node nic $engine")
  [ "$none" = 0 ] || fail "through the NIC both read the old value $none times, expected 0: a put ends when it is visible ($engine)"
done
# hash OPTIONS: of all events.
hash() {
  "$run" --fabric sim -n 2 --order chaos --on-node nic --trace-hash $1 "$program" 2>&1 | sed -n 's/^trace hash: //p'
}
fiber=$(hash)
[ -n "$fiber" ] && { [ -z "$SIMGRID" ] || [ "$fiber" = "$(hash '--engine simgrid')" ]; } || fail "the executors differ: '$fiber'"
# eyotcheck finds the same race in the same schedule.
explore() {
  "$check" -n 2 --runs 20 --save /dev/null $1 "$program" 2>&1 | sed -n 's/.*(trace hash \([0-9a-f]*\)).*/\1/p'
}
# Sanitizers know neither SimGrid's stacks nor eyotcheck's snapshots.
if [ -n "$SIMGRID" ]; then
  explored=$(explore)
  [ -n "$explored" ] && [ "$explored" = "$(explore '--on-node nic')" ] || fail "eyotcheck explores other runs with --on-node nic: '$explored'"
fi
exit $bad
