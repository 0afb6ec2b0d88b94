#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coll_others.sh PROGRAM EYOTRUN - members of a team that have called different functions name both of them over MPI: each its own and another
# one, with a unit that has called it. PROGRAM is tests/programs/coll_others.c.
set -u
program=$1 eyotrun=$2
. "$(dirname "$0")/../support/words.sh"
bad=0
# both HOW FUNCTION_0 FUNCTION_OTHERS CODE
both() {
  for node_size in 0 2 1; do
    ends "$1, nodes of $node_size" "$4" EYOT_ERRORS=return "$eyotrun" --fabric mpi -n 5 --node-size $node_size "$program" "$1"
    shows "unit 0. error: $2: unit [1-4] called $3 in its place; all members call the same collective functions in the same order \\(EYOT_EMISMATCH: "
    shows "unit [1-4]. error: $3: unit 0 called $2 in its place; "
    shows "^eyot: .units 1-4. error, 4 times in all, first by unit [1-4]: $3: unit 0 called $2 in its place; "
  done
}
both broadcast eyot_barrier eyot_broadcast 0
both alloc eyot_broadcast eyot_team_alloc 0
both nb eyot_barrier eyot_broadcast_nb 0
both inside eyot_barrier eyot_broadcast_nb 0
both plan eyot_team_alloc eyot_broadcast_plan 0
both fence eyot_fence eyot_barrier 0
both refused eyot_own_gather eyot_graph_destroy 0
both finalize eyot_finalize eyot_barrier 7
exit $bad
