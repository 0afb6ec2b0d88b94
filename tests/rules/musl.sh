#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# musl.sh SOURCE_DIR BUILD_DIR [MPI_INCLUDE_DIR...] - the sources compile for a C library that is not glibc, musl, without warnings: all C files of src and tools but the
# executor of SimGrid, whose library would have to exist for musl, and those of fabric_real only if folders of mpi.h are given. eyot-info and the unit tests of layers
# without coroutines, which musl does not have, are linked and run; eyot-info prints what that of the build prints. Files
# that neither needs are looked at only (-fsyntax-only): code for them would take as long again.
set -u
root=$1 build=$2
shift 2
command -v musl-gcc >/dev/null || { echo "musl-gcc is not installed (Debian: musl-tools)"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
FILES_LEAST=270 bad=0
# Tests that need neither the fake fabric's units nor allocations that fail.
TESTS="conf oracle chk_clock chk_exhaustive chk_exhaustive_random chk_file chk_guided chk_lin chk_lin_random chk_pct chk_race chk_race_random chk_shrink chk_walk sim_queue sim_routes"

# The kernel's headers and those of uthash, which need nothing of glibc's, beside musl's own.
mkdir "$work/include" "$work/core" "$work/check" "$work/rest" || exit 1
for entry in linux asm-generic uthash.h; do ln -s "/usr/include/$entry" "$work/include/$entry" || exit 1; done
ln -s "/usr/include/$(gcc -print-multiarch)/asm" "$work/include/asm" || exit 1
mpi=
for folder in "$@"; do mpi="$mpi -isystem $folder"; done
flags="-std=gnu17 -D_GNU_SOURCE -I'$root/src' -I'$root/include' -I'$root/include/eyot-shmem' -I'$root/include/eyot-upc' -I'$root/tests' -I'$root/tools' -isystem '$root/tests/rules/musl' -isystem '$work/include' $mpi \
  -fPIC -fvisibility=hidden -Wall -Wextra -Wshadow -fno-common -Wconversion -Wstrict-prototypes -Werror"
cat >"$work/compile" <<END
object=\$1 source=\$2
shift 2
musl-gcc $flags "\$@" -c "\$source" -o "\$object" || { echo "musl: \$source does not compile"; exit 1; }
END
echo "musl-gcc $flags -DNDEBUG -fsyntax-only \"\$@\" || { echo 'musl: one of these does not compile:' \"\$@\"; exit 1; }" >"$work/look"

# OBJECT SOURCE DEFINITION of each file, or its SOURCE alone where no code is made.
: >"$work/sources"
(cd "$root" && find src tools -name '*.c' | sort) | while read -r file; do
  define=-DNDEBUG folder=rest
  case $file in
    src/fabric_sim/simgrid/actors.c) continue ;;
    src/fabric_real/*) [ -n "$mpi" ] || continue; folder= ;;
    src/prog/access.c) define=-DEYOTI_ACCESS_STEPS=0 ;;
    src/prog/start.c) define='-DEYOTI_INTERP=\"/lib/ld-musl\"' ;;
    src/prog/clock.c | src/prog/malloc.c | src/interfaces/upc/upcr_main.c) ;; # programs alone
    src/check/*) folder=check ;;
    src/fabric_sim/machine/* | src/fabric_sim/engine/heap.c | src/fabric_sim/engine/queue.c | src/fabric_sim/fault/noise_profiles.c) ;;
    src/fabric_sim/*) folder= ;;
    src/interfaces/*) folder= ;;
    src/*) folder=core define=-DEYOTI_OTHER_HALF=EYOT_API ;;
    tools/eyotrun.c) define='-DEYOT_BUILT_MPIEXEC=\"\" -DEYOT_BUILT_OPENMPIEXEC=\"\"' ;;
    tools/eyot_info.c | tools/info_coll.c | tools/info_file.c | tools/tool.c) ;;
    tools/*) folder= ;;
  esac
  [ -n "$folder" ] || { printf '%s\0' "$root/$file" >>"$work/sources"; continue; }
  printf '%s\n' "$work/$folder/$(echo "$file" | tr / _).o $root/$file $define"
done >"$work/list"
[ -n "$mpi" ] || FILES_LEAST=$((FILES_LEAST - 40))
files=$(($(wc -l <"$work/list") + $(tr -cd '\0' <"$work/sources" | wc -c)))
[ $files -ge $FILES_LEAST ] || { echo "musl: only $files files, expected $FILES_LEAST or more"; exit 1; }
for name in $TESTS; do
  file=$(find "$root/tests/unit" -name "test_$name.c")
  [ -n "$file" ] || { echo "musl: there is no test_$name.c"; exit 1; }
  echo "$work/rest/test_$name.o $file -DNDEBUG"
done >>"$work/list"
echo "$work/rest/oracle.o $root/tests/support/oracle.c -DNDEBUG" >>"$work/list"
echo "$work/core/find_object.o $root/tests/rules/musl/find_object.c -DNDEBUG" >>"$work/list"
# A shell for each line: definitions have quotes.
xargs -0 -n 20 -P "$(nproc)" sh "$work/look" <"$work/sources" || exit 1
sed "s|.*|sh '$work/compile' &|" "$work/list" | tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc)" sh -c || exit 1

link() { # PROGRAM OBJECT...
  program=$1
  shift
  musl-gcc -o "$program" "$@" "$work"/core/*.o -lm || { echo "musl: $program cannot be linked"; return 1; }
}
machine=$work/rest/src_fabric_sim_machine
link "$work/eyot-info" "$work/rest/tools_eyot_info.c.o" "$work/rest/tools_info_coll.c.o" "$work/rest/tools_info_file.c.o" "$work/rest/tools_tool.c.o" "${machine}_platform.c.o" "${machine}_platform_keys.c.o" "${machine}_platform_file.c.o" "${machine}_platform_model.c.o" "${machine}_platform_hosts.c.o" "${machine}_simgrid.c.o" "$work/rest/src_fabric_sim_fault_noise_profiles.c.o" || bad=1
for what in --limits --exit-codes --version '--platform xc40'; do
  "$work/eyot-info" $what >"$work/musl.txt" && "$build/bin/eyot-info" $what >"$work/glibc.txt" && cmp -s "$work/musl.txt" "$work/glibc.txt" ||
    { echo "musl: eyot-info $what does not print what that of the build prints:"; diff "$work/glibc.txt" "$work/musl.txt"; bad=1; }
done
sim="${machine}_dragonfly.c.o ${machine}_fattree.c.o ${machine}_torus.c.o $work/rest/src_fabric_sim_engine_heap.c.o $work/rest/src_fabric_sim_engine_queue.c.o"
for name in $TESTS; do
  case $name in
    chk_*) more="$work/check/*.o" ;;
    sim_*) more=$sim ;;
    *) more= ;;
  esac
  # shellcheck disable=SC2086 # several files
  link "$work/test_$name" "$work/rest/test_$name.o" "$work/rest/oracle.o" $more || { bad=1; continue; }
  (cd "$work" && "./test_$name" >"$name.txt" 2>&1) && grep -q "^[1-9][0-9]* cases passed$" "$work/$name.txt" ||
    { echo "musl: test_$name fails:"; cat "$work/$name.txt"; bad=1; }
done
[ $bad -eq 0 ] && echo "musl: $files files, $(echo $TESTS | wc -w) tests"
exit $bad
