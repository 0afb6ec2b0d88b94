#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# no_effect.sh EYOTRUN EYOTCHECK PROGRAM - options that do nothing in a run are named, once, and not where they do something.
set -u
run=$1 check=$2 program=$3 bad=0
# named WORDS COMMAND...: its messages name an option without effect so; unnamed: they name none.
named() {
  words=$1
  shift
  [ "$("$@" 2>&1 | grep -c "$words.*has no effect")" = 1 ] || { echo "no_effect: not named once: $words, of $*"; bad=1; }
}
unnamed() { ! "$@" 2>&1 | grep 'has no effect' || { echo "no_effect: named, of $*"; bad=1; }; }
named '(--network)' "$check" --runs 3 --network booked -n 2 "$program"
named '(--on-node)' "$check" --runs 3 --on-node nic -n 2 "$program"
named '(--traffic)' "$check" --runs 3 --traffic 0.3 -n 2 "$program"
named '(--stats-csv)' env EYOT_STATS_CSV=- "$check" --runs 3 -n 2 "$program"
unnamed "$check" --runs 3 --order chaos -n 2 "$program"
named 'packet of --platform' "$run" --fabric sim --network booked --platform xc40:packet=512 -n 2 "$program"
unnamed "$run" --fabric sim --platform xc40:packet=512 -n 2 "$program"
unnamed "$run" --fabric sim --network booked --on-node nic -n 2 "$program"
exit $bad
