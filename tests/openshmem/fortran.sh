#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fortran.sh BIN_DIR WORK_DIR sim|mpi - builds the Fortran programs with eyot-oshfort and runs them; a mistake names the call and the line of the Fortran
# file. sim: also that they call every function of the library, and that the module declares all but the older names.
bin=$1 work=$2 fabric=$3
here=$(cd "$(dirname "$0")" && pwd)
lib=$bin/../lib
bad=0
wrong() { echo "$*"; bad=1; }
mkdir -p "$work" && cd "$work" || exit 2
for source in fortran_rma.f90 fortran_coll.F90 fortran_fixed.F; do
  "$bin/eyot-oshfort" -g -c "$here/$source" -o "${source%.*}.o" && "$bin/eyot-oshfort" "${source%.*}.o" -o "${source%.*}" || exit 1
done

# runs OPTIONS...: all programs.
runs() {
  for program in fortran_rma fortran_coll fortran_fixed; do
    output=$(timeout 60 "$bin/eyotrun" --fabric "$fabric" "$@" "./$program" 2>&1) || wrong "$program $*: $output"
  done
}
# says CODE REGEX ARGS...: the program in fixed form ends with the code and says so.
says() {
  code=$1 regex=$2
  shift 2
  output=$(timeout 60 "$bin/eyotrun" --fabric "$fabric" -n 2 ./fortran_fixed "$@" 2>&1)
  got=$?
  [ $got -eq "$code" ] && printf '%s\n' "$output" | grep -Eq "$regex" || wrong "$*: exit code $got, expected $code and '$regex': $output"
}
line() { grep -n "$1" "$here/fortran_fixed.F" | head -1 | cut -d: -f1; }

runs -n 2
says 7 "error.*: shmem_integer_put: pe is 2, expected 0 to 1 .*, called at fortran_fixed\.F:$(line integer_put) \(MAIN__\)" wrong
# STOP ends one PE, and its code is the run's.
says 0 'past the end' stop
says 9 'ERROR STOP 9' error
if [ "$fabric" = sim ]; then
  runs -n 8 --order chaos --seeds 3 --units-per-node 2
  runs -n 3 --races
  says 7 "error.*: shpalloc: the length is not positive, and the argument 'abort' is not 0 .*, called at fortran_fixed\.F:$(line '0, error, 1') \(MAIN__\)" abort
  says 8 '^' exit
  # eyotcheck's snapshots need their own handler of SIGSEGV.
  output=$(timeout 60 "$bin/eyotcheck" -n 2 --runs 20 ./fortran_fixed 2>&1) || wrong "eyotcheck: $output"
  mkdir -p alone && cp "$bin/eyot-oshfort" alone && output=$(alone/eyot-oshfort -c x.f90 2>&1)
  [ $? -eq 2 ] && printf '%s\n' "$output" | grep -q 'eyot was built without Fortran: .*install GNU Fortran' || wrong "without the library: $output"
  nm "$lib/libeyot-shmemf.a" 2>/dev/null | awk '$2 == "T" && $3 ~ /_$/ { print $3 }' | sort -u >defined
  nm -u fortran_rma.o fortran_coll.o fortran_fixed.o | awk 'NF == 2 { print $2 }' | sort -u >called
  comm -23 defined called >uncalled
  [ -s uncalled ] && wrong "no program calls: $(cat uncalled)"
  [ "$(wc -l <defined)" -ge 178 ] || wrong "only $(wc -l <defined) functions are defined"
  # The module's names, one a line, as a program that calls each would name them.
  tr ',&' '\n\n' <"$here/../../src/interfaces/openshmem/fortran/shmem.f90" |
    sed -n 's/.*\(procedure([a-z0-9_]*) ::\|subroutine\|function\)//; s/^ *\(shmem_[a-z0-9_]*\|shp[a-z]*\|start_pes\)\( *$\|(.*\)/\1_/p' | sort -u >declared
  sed '/^my_pe_$/d; /^num_pes_$/d' defined | comm -3 - declared >differ
  [ -s differ ] && wrong "in the library or in the module only: $(cat differ)"
fi
exit $bad
