#!/bin/sh
# openmpi_start.sh BUILD_DIR INCLUDE_DIR MPICC MPIEXEC MPICH_MPIEXEC - starts on Open MPI: the ways that must work, and those that must be refused with a reason
# because launcher, program or option are of different MPIs.
set -u
build=$1 include=$2 mpicc=$3 mpiexec=$4 other=$5
bin=$build/bin program=$build/tests/bin/bad_end
. "$(dirname "$0")/../support/refuse.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
as_root() { OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe timeout 60 "$@"; }

runs "started directly" "^ok$" env EYOT_MPI=openmpi "$program" plain
runs "mpiexec" "^ok$" as_root "$mpiexec" -n 2 "$program" plain
runs "EYOT_MPIEXEC" "^ok$" env EYOT_MPIEXEC="$mpiexec" timeout 60 "$bin/eyotrun" -n 2 "$program" plain
runs "own setting" "^ok$" env OMPI_MCA_pml=ob1 timeout 60 "$bin/eyotrun" --mpi openmpi -n 2 "$program" plain
refused "no mpiexec" "nowhere not found or not executable; install Open MPI, or set EYOT_MPIEXEC" \
  env EYOT_MPIEXEC=nowhere "$bin/eyotrun" --mpi openmpi -n 2 "$program"
refused "option" "EYOT_MPI .*is 'ompi'; expected one of auto.mpich.openmpi" env EYOT_MPI=ompi "$program"

# A program that calls MPI itself: one MPI in its image, that which it was linked with.
cat >"$dir/own.c" <<'END'
#include <eyot/eyot.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  char line[4096];
  int n, mpich = 0;
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) mpich |= strstr(line, "libmpich") != NULL;
  if (n != (int)eyot_size() || mpich) return 1;
  if (eyot_me().id == 0) printf("own %d\n", n);
  return eyot_finalize() != EYOT_OK;
}
END
"$mpicc" -I"$include" "$dir/own.c" -o "$dir/own" -L"$build/lib" -leyot -Wl,-rpath,"$build/lib" || bad=1
runs "own MPI" "^own 2$" as_root "$mpiexec" -n 2 "$dir/own"
runs "own MPI, eyotrun" "^own 2$" timeout 60 "$bin/eyotrun" --mpi openmpi -n 2 "$dir/own"
refused "two MPIs" "linked with Open MPI, but EYOT_MPI .* asks for MPICH; one process cannot hold both" env EYOT_MPI=mpich "$dir/own"

if [ -e "$build/lib/eyot/eyot-fabric-mpi.so" ]; then
  refused "launcher of MPICH" "one of 2 processes .PMI_SIZE.*Open MPI knows of this one only.*use eyotrun, mpiexec.openmpi" \
    env EYOT_MPI=openmpi timeout 60 "$other" -n 2 "$program" plain
  refused "program under MPICH's" "one of 2 processes .PMI_SIZE.*Open MPI knows of this one only" timeout 60 "$other" -n 2 "$dir/own"
  refused "launcher of Open MPI" "one of 2 processes .OMPI_COMM_WORLD_SIZE.*use eyotrun, mpiexec.mpich" \
    env EYOT_MPI=mpich OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 "$mpiexec" -n 2 "$program" plain
  refused "launcher and option" "a launcher of Open MPI, but EYOT_MPI .* asks for MPICH" env EYOT_MPIEXEC="$mpiexec" "$bin/eyotrun" --mpi mpich -n 2 "$program"
fi
exit $bad
