#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpicc.sh BIN_DIR SOURCE_DIR - eyot-mpicc and eyot-mpicxx build programs that run in the simulator; a profiling program gets the calls of MPI_Send
# by PMPI_Send; a call that the interface lacks does not compile.
bin=$1 source=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
say() { echo "mpicc: $*"; bad=1; }
cat >"$work/ring.c" <<'END'
#include <mpi.h>
#include <stdio.h>
static int sends;
int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  sends++;
  return PMPI_Send(buf, count, type, dest, tag, comm);
}
int main(int argc, char **argv) {
  int me, n, in = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Send(&me, 1, MPI_INT, (me + 1) % n, 0, MPI_COMM_WORLD);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (me == 0) printf("ring: %d ranks, %d sends, from %d\n", n, sends, in);
  MPI_Finalize();
  return 0;
}
END
cp "$work/ring.c" "$work/ring.cpp"
"$bin/eyot-mpicc" -O2 -Wall -Werror "$work/ring.c" -o "$work/ring_c" || say "eyot-mpicc fails"
"$bin/eyot-mpicxx" -O2 -Wall -Werror "$work/ring.cpp" -o "$work/ring_cxx" || say "eyot-mpicxx fails"
for program in ring_c ring_cxx; do
  "$bin/eyotrun" --fabric sim -n 5 "$work/$program" >"$work/out" 2>&1 && grep -q '^ring: 5 ranks, 1 sends, from 4$' "$work/out" ||
    { say "$program does not run:"; cat "$work/out"; }
done
sed 's/PMPI_Send(buf, count, type, dest, tag, comm)/MPI_Win_free((void *)\&comm)/' "$work/ring.c" >"$work/lacks.c"
"$bin/eyot-mpicc" -Werror=implicit-function-declaration "$work/lacks.c" -o "$work/lacks" 2>"$work/out" && say "a program with MPI_Win_free compiles"
grep -q 'implicit declaration.*MPI_Win_free' "$work/out" || { say "another error than that MPI_Win_free is not declared:"; cat "$work/out"; }

# The page lists each function among those that are there, and no other.
"${CC:-cc}" -E -P -I"$source/include/eyot-mpi" "$source/include/eyot-mpi/mpi.h" | grep -o '__asm__("eyot_mpi_" "[A-Za-z_0-9]*")' |
  sed 's/.*"\([A-Za-z_0-9]*\)")/MPI_\1/' | LC_ALL=C sort -u >"$work/functions"
sed -n '/^## What is there/,/^## What is missing/p' "$source/docs/mpi.md" | grep '^|' | grep -o 'MPI_[A-Z][a-z][A-Za-z_0-9]*' | LC_ALL=C sort -u >"$work/listed"
[ "$(wc -l <"$work/functions")" -ge 80 ] || say "found $(wc -l <"$work/functions") functions in mpi.h, expected 80 or more"
diff "$work/functions" "$work/listed" || say "docs/mpi.md lists other functions than mpi.h has (above: < of mpi.h, > of the page)"
exit $bad
