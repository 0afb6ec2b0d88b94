# named.sh - mutants with a section `named`: faults that programs on the simulator under run.sh cannot show, as in the MPI fabric,
# the simulator itself and the detectors. To be sourced by run.sh after plant.sh; wants $work, $build.
#
# Lines of the section: RUNS NAME, a test of ctest and how often it is run until it fails. unit.*, and the tests of sim.* that are programs
# of tests/unit, are linked again with the changed object, and run all their seeds; others run as they are with a changed library (src/fabric_real: that of the mpi fabric; src/fabric_sim and src/check: of sim).
# tools: no library; their tests are unit tests with the tool's file inside.
# src/interfaces/* are static libraries: the test's program, of tests/bin, is linked again with a changed one.
# Seconds of a run with the unchanged library; a run with a mutant may take three times as long as that one took, and some seconds.
NAMED_LIMIT=120

# made_of FILE: the library that has it.
made_of() {
  case $1 in
    src/fabric_real/*) echo mpi ;;
    src/fabric_sim/* | src/check/*) echo sim ;;
    src/interfaces/openshmem/*) echo shmem ;;
    src/interfaces/upc/*) echo upc ;;
    src/interfaces/mpi/*) echo face ;;
    tools/*) echo tools ;;
    *) echo core ;;
  esac
}

# has_library LIBRARY: a build without the fabric has none.
has_library() {
  case $1 in
    core | tools) ;;
    shmem) [ -e "$build/tests/bin/osh_locks" ] ;;
    upc) [ -e "$build/tests/bin/upc_library" ] ;;
    face) [ -e "$build/tests/bin/mpi_face_messages" ] ;;
    *) [ -e "$build/lib/eyot/eyot-fabric-$1.so" ] ;;
  esac
}

# named_link DIR LIBRARY [OBJECT SOURCE]: a folder in which tests find the changed library.
named_link() {
  to=$1 library=$2
  shift 2
  mkdir -p "$to" || exit 2
  [ "$library" != tools ] || return 0
  if [ "$library" = core ]; then
    link "$to" "$@"
    return
  fi
  if interface_file=$(interface_archive_of "$library"); then
    interface_archive "$to" "$@"
    return
  fi
  for module in "$build"/lib/eyot/*; do ln -sf "$module" "$to/" || exit 2; done
  rm -f "$to/eyot-fabric-$library.so"
  relink "lib/eyot/eyot-fabric-$library.so" "$to/eyot-fabric-$library.so" "$@"
  [ "$library" = mpi ] && [ -e "$build/tests/weak" ] || return 0
  mkdir -p "$to/weak" || exit 2
  relink tests/weak/eyot-fabric-mpi.so "$to/weak/eyot-fabric-mpi.so" "$@"
}

# interface_archive_of LIBRARY: the file of an interface's static library; fails for others.
interface_archive_of() {
  case $1 in
    shmem | upc) echo "libeyot-$1.a" ;;
    face) echo libeyot-mpi.a ;;
    *) return 1 ;;
  esac
}

# interface_archive DIR [OBJECT SOURCE]: $interface_file with the changed object.
interface_archive() {
  archive=$(find "$build" -name "$interface_file" | head -n 1)
  [ -n "$archive" ] || die "$build has no $interface_file"
  cp "$archive" "$1/$interface_file" || exit 2
  [ $# -lt 3 ] || { cp "$2" "$1/$(basename "$3").o" && ar r "$1/$interface_file" "$1/$(basename "$3").o" 2>"$work/log" || { cat "$work/log"; die "cannot make $1/$interface_file"; }; }
}

# interface_test DIR NAME: links the program of the test with DIR/$interface_file; the test's command, for sh, in $command.
interface_test() {
  line=$(cat "$build/tests/sim/CTestTestfile.cmake" "$build/tests/cluster/CTestTestfile.cmake" 2>/dev/null | grep -F "add_test([=[$2]=] ")
  interface_program=$(printf '%s\n' "$line" | grep -Eo '/tests/bin/(osh|upcr?|mpi_face)_[a-z0-9_]+' | head -n 1)
  [ -n "$interface_program" ] || die "$2 is no test of a program osh_*, upc_*, upcr_* or mpi_face_*"
  linking=$(ninja -C "$build" -t commands -s "${interface_program#/}" 2>/dev/null | tail -n 1)
  case $linking in *"$interface_file"*) ;; *) die "$build has no command that links $interface_program with $interface_file" ;; esac
  linking=$(printf '%s\n' "$linking" | sed "s| -o ${interface_program#/} | -o $1${interface_program##*/bin} |; s| [^ ]*$interface_file| $1/$interface_file|g")
  (cd "$build" && sh -c "$linking") >"$work/log" 2>&1 || { cat "$work/log"; die "cannot link $interface_program"; }
  command=$(printf '%s\n' "$line" | sed "s/^add_test(\[=\[[^]]*\]=\] //; s/)\$//; s|$build/tests/bin/|$1/|g; s|[^ \"]*\.run|$1/run|g")
}

# has_named NAME: does this build have that test?
has_named() {
  [ -f "$work/tests" ] || (cd "$build" && ctest -N) | sed -n 's/^ *Test *#[0-9]*: //p' >"$work/tests"
  grep -qxF "$1" "$work/tests"
}

# named_control DIR LIBRARY NAME: is the test passed with the unchanged library? Remembers how long it takes.
named_control() {
  limit=$NAMED_LIMIT began=$(date +%s)
  named_run "$1" "$2" 1 "$3" || return 1
  echo "$3 $((($(date +%s) - began) * 3 + 8))" >>"$work/limits"
}

# named_series DIR LIBRARY RUNS NAME [OBJECT SOURCE]: 0: all passed. 1: one failed; $after: which, $how: how.
named_series() {
  limit=$(awk -v name="$4" '$1 == name { print $2; exit }' "$work/limits")
  named_run "$@"
}

# named_run DIR LIBRARY RUNS NAME [OBJECT SOURCE]: runs of $limit seconds.
named_run() {
  to=$1 library=$2 runs=$3 test=$4
  shift 4
  has_named "$test" || die "there is no test $test"
  if interface_file=$(interface_archive_of "$library"); then
    interface_test "$to" "$test"
    after=0
    while [ $after -lt "$runs" ]; do
      after=$((after + 1))
      EYOT_ERRORS=return timeout "$limit" sh -c "$command" </dev/null >"$work/log" 2>&1 || { named_how $?; return 1; }
    done
    return 0
  fi
  case $test in
    unit.*) unit=${test#unit.} ;;
    *) unit=${test#sim.} ;;
  esac
  case $test in
    unit.* | sim.*)
      [ -x "$build/tests/unit/$unit" ] || unit=
      ;;
    *) unit= ;;
  esac
  case $unit in
    ?*)
      program=$to/$unit
      relink "tests/unit/$unit" "$program" "$@"
      after=0
      while [ $after -lt "$runs" ]; do
        after=$((after + 1))
        UNIT_FULL=1 timeout "$limit" "$program" </dev/null >"$work/log" 2>&1 || { named_how $?; return 1; }
      done
      return 0
      ;;
  esac
  # A folder of its own, so that a ctest that runs this one keeps its records; tests end sooner than their own time limit.
  mkdir -p "$to/ctest"
  printf 'subdirs("%s")\nset_tests_properties("%s" PROPERTIES TIMEOUT %s)\n' "$build" "$test" "$limit" >"$to/ctest/CTestTestfile.cmake"
  # Those of tests/cluster/weak.cmake have a module of their own.
  case $test in
    mpi.weak.*)
      printf 'set_tests_properties("%s" PROPERTIES ENVIRONMENT_MODIFICATION "EYOT_FABRIC_DIR=set:%s/weak")\n' "$test" "$to" >>"$to/ctest/CTestTestfile.cmake" ;;
  esac
  set -- env -u EYOT_ERRORS
  if [ "$library" = core ]; then set -- "$@" "LD_LIBRARY_PATH=$to" "EYOT_FABRIC_DIR=$build/lib/eyot"; else set -- "$@" "EYOT_FABRIC_DIR=$to"; fi
  (cd "$to/ctest" && "$@" ctest --no-tests=error --output-on-failure --repeat until-fail:"$runs" -R "^$(printf '%s' "$test" | sed 's/\./\\./g')\$") \
    </dev/null >"$work/log" 2>&1 && return 0
  after=$(grep -c '^ *Start  *[0-9]*: ' "$work/log")
  named_how 1
  return 1
}

# What the log says of the failure: of an assertion, a check, a message; else that time has run out.
named_how() {
  how=$(grep -m1 -E 'failed: |not true|panic|expected|differs|Error: |is wrong|deadlock|must\.sh|^eyot: ' "$work/log" | sed 's#^.*/\([^/ ]*:[0-9]*: \)#\1#' | cut -c1-90)
  if grep -q 'Timeout' "$work/log" || [ "$1" -eq 124 ]; then how="no end within $limit s"; fi
  [ -n "$how" ] || how="exit code $1"
}
