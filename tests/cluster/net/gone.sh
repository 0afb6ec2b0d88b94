#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gone.sh - what machine.sh has made is gone after its end, however it ends; and what it cannot do it refuses.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../support/refuse.sh"
sh "$here/machine.sh" 1 true
[ $? -ne 77 ] || exit 77

# Processes of the machine are known by a word in their environment, which they all inherit but those started through ssh; these are found by their parents.
mark=MACHINE_TEST_$$
left() { grep -lzs "^$mark=" /proc/[0-9]*/environ 2>/dev/null | wc -l; }

# ends NAME SIGNAL CODE: a machine that runs is sent SIGNAL, or ends by itself.
ends() {
  name=$1 signal=$2
  env "$mark=1" sh "$here/machine.sh" 2 sh -c 'ssh host1 "sleep 60" & ssh host2 true; echo up; [ "$1" != none ] || exit 7; sleep 60' sh "$signal" >"$fifo" 2>&1 &
  pid=$!
  read -r line <"$fifo"
  [ "$line" = up ] || { echo "$name: it printed: $line"; bad=1; }
  [ "$signal" = none ] || kill -"$signal" $pid
  wait $pid
  code=$?
  tries=0
  while [ "$(left)" -ne 0 ] && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  if [ "$(left)" -eq 0 ] && [ $code -eq "$3" ]; then echo "$name: ok"; else echo "$name: exit code $code, expected $3; $(left) processes are left"; bad=1; fi
}
fifo=$(mktemp -u) && mkfifo "$fifo" || exit 1
trap 'rm -f "$fifo"' EXIT
ends "an end" none 7
ends "an interrupt" TERM 143
ends "a kill" KILL 137
refused "no number" "usage: machine.sh" sh "$here/machine.sh" two true
refused "no command" "expected a command" sh "$here/machine.sh" 2
refused "too many" "at most 16 hosts" sh "$here/machine.sh" 17 true
refused "another host" "Could not resolve hostname host3" sh "$here/machine.sh" 1 ssh host3 true
[ ! -e /run/eyot-hosts ] || { echo "gone.sh: /run/eyot-hosts is visible outside"; bad=1; }
exit $bad
