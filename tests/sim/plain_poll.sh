#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plain_poll.sh BIN_DIR - instrumented loops that poll by plain loads end in timed runs, with the race detector and without, and
# under eyotcheck; an exhaustive search of them ends too. Units that poll in vain are named, and are a livelock to eyotcheck.
set -u
bin=$1
source=$(cd "$(dirname "$0")/../programs" && pwd)/plain_poll.c
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
bad=0
# must NAME WANTED-CODE PATTERN COMMAND...
must() {
  name=$1 wanted=$2 pattern=$3
  shift 3
  "$@" >"$work/out" 2>&1
  code=$?
  [ $code -eq "$wanted" ] && grep -Eq "$pattern" "$work/out" && return
  echo "plain_poll: $name: exit code $code, expected $wanted and $pattern in:"
  cat "$work/out"
  bad=1
}
"$bin/eyotcc" --instrument=accesses -g -O1 "$source" -o seen || exit 1
for loop in volatile atomic half swap_if several clock compute; do
  must "$loop" 0 "2 runs, .*all passed" "$bin/eyotrun" --fabric sim -n 4 --seeds 2 ./seen $loop
  must "$loop --races" 0 "^plain_poll: ok$" "$bin/eyotrun" --fabric sim -n 4 --races ./seen $loop
  must "$loop random" 0 "; 0 failed$" "$bin/eyotcheck" -n 3 --runs 50 ./seen $loop
done
must "volatile simgrid" 0 "^plain_poll: ok$" "$bin/eyotrun" --fabric sim -n 4 --engine simgrid ./seen volatile
for loop in volatile atomic several half byte swap_if swap swap_word in_flight; do
  must "$loop exhaustive" 0 "all [0-9]+ interleavings explored" "$bin/eyotcheck" -n 2 --strategy exhaustive ./seen $loop
done
must "never" 134 "#[0-9] plain_poll.c:[0-9]+ .wait_for_ever" "$bin/eyotrun" --fabric sim -n 4 --watchdog 1500ms ./seen never
must "never explored" 1 "unit 1: .* called at plain_poll.c:[0-9]+ .wait_for_ever" "$bin/eyotcheck" -n 2 --livelock --max-run 2000 --no-shrink ./seen never
[ $bad -eq 0 ] && echo "plain_poll: all loops as expected"
exit $bad
