#!/bin/sh
# install_test.sh BUILD_DIR [FABRICS] - installs into a temporary prefix, moves it elsewhere, builds a program outside the tree in three ways (pkg-config, eyotcc,
# find_package) and runs it on each fabric. The installed examples are built by eyotcc alone. Nothing is left after an uninstallation but what others have there.
set -eu
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
fabrics=${2:-sim mpi}
dir=$(mktemp -d)
manifest=$build/install_manifest.txt # of the user's own installation
[ ! -f "$manifest" ] || cp "$manifest" "$dir/manifest"
trap 'rm -f "$manifest"; [ ! -f "$dir/manifest" ] || cp "$dir/manifest" "$manifest"; rm -rf "$dir"' EXIT

echo "== install, and move to another place"
cmake --install "$build" --prefix "$dir/first" >"$dir/install.log" || { cat "$dir/install.log"; exit 1; }
prefix="$dir/a place"
mv "$dir/first" "$prefix"
libdir=$(dirname "$(find "$prefix" -name 'libeyot.so' | head -n 1)")
if find "$prefix" -type f \( -name '*.cmake' -o -name '*.pc' -o -name 'eyotcc' \) -exec grep -l "$build\|$dir/first" {} + | grep .; then
  echo "install_test: the files above contain paths of the build or of the first prefix"
  exit 1
fi

mkdir "$dir/outside"
cd "$dir/outside"
cat >prog.c <<'END'
#include <eyot/eyot.h>
#include <stdio.h>
int main(int argc, char **argv) {
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  eyot_gptr_t word;
  if (eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &word) != EYOT_OK) return 1;
  uint64_t sum = 0;
  if (eyot_fetch_add_u64(word, eyot_me().id + 1, &sum) != EYOT_OK || eyot_barrier(EYOT_TEAM_ALL) != EYOT_OK) return 1;
  if (eyot_read_u64(word, &sum) != EYOT_OK || sum != (uint64_t)eyot_size() * (eyot_size() + 1) / 2) return 1;
  if (eyot_me().id == 0) printf("%u units on %s, sum %u\n", eyot_size(), eyot_fabric_name(), (unsigned)sum);
  if (eyot_team_free(word) != EYOT_OK) return 1;
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
END
cp prog.c prog_cxx.cpp
cat >shmem.c <<'END'
#include <shmem.h>
#include <stdio.h>
static long word, sum;
int main(void) {
  shmem_init();
  int n = shmem_n_pes();
  shmem_long_atomic_add(&word, shmem_my_pe() + 1, 0);
  shmem_barrier_all();
  sum = shmem_long_g(&word, 0);
  if (sum != (long)n * (n + 1) / 2) return 1;
  if (shmem_my_pe() == 0) printf("%d units on %s, sum %ld\n", n, EYOT_NAME, sum);
  shmem_finalize();
  return 0;
}
END
cp shmem.c shmem_cxx.cpp

# run PROGRAM FABRIC: three units, and the right sum.
run() {
  echo "== $1 on $2"
  output=$("$prefix/bin/eyotrun" --fabric "$2" -n 3 "./$1") || { echo "$output"; echo "install_test: $1 failed on $2"; exit 1; }
  [ "$output" = "3 units on $2, sum 6" ] || { echo "install_test: $1 on $2 printed: $output"; exit 1; }
}

echo "== pkg-config"
PKG_CONFIG_PATH="$libdir/pkgconfig"
export PKG_CONFIG_PATH
# The place has a blank in its name; eval undoes the quoting of pkg-config.
eval "${CC:-cc} prog.c -o with_pkgconfig $(pkg-config --cflags --libs eyot) '-Wl,-rpath,$libdir'"
case " $fabrics " in *" mpi "*) run with_pkgconfig mpi ;; esac
case " $fabrics " in
  *" sim "*)
    if "$prefix/bin/eyotrun" --fabric sim -n 3 ./with_pkgconfig 2>refusal; then
      echo "install_test: the simulator loaded an ordinary executable"
      exit 1
    fi
    grep -q eyotcc refusal ;;
esac

echo "== eyotcc and eyotcxx"
"$prefix/bin/eyotcc" -O2 -Wall -c prog.c -o prog.o
"$prefix/bin/eyotcc" prog.o -o with_eyotcc
"$prefix/bin/eyotcc" -O2 -x c - -o from_input <prog.c
"$prefix/bin/eyotcxx" -O2 prog_cxx.cpp -o with_eyotcxx
for fabric in $fabrics; do
  # another file for each: the program does not ask for the name of its fabric
  "$prefix/bin/eyot-oshcc" -O2 -Wall "-DEYOT_NAME=\"$fabric\"" shmem.c -o "with_oshcc_$fabric"
  "$prefix/bin/eyot-oshc++" -O2 "-DEYOT_NAME=\"$fabric\"" shmem_cxx.cpp -o "with_oshcxx_$fabric"
done
cat >mpi.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(void) {
  int me, n, sum;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%d ranks, sum %d\n", n, sum);
  MPI_Finalize();
  return 0;
}
END
"$prefix/bin/eyot-mpicc" -O2 -Wall mpi.c -o with_mpicc
"$prefix/bin/eyot-mpicxx" -O2 -Wall -x c++ mpi.c -o with_mpicxx
"$prefix/bin/eyot-upcc" -O2 "$source/tests/upcr/cpi.c" -o with_upcc
"$prefix/bin/eyot-upcc" -O2 -Wall "$source/examples/upc/cpi.c" -o with_upc_in_c
[ "$(pkg-config --variable=eyotoshcc eyot-shmem | sed 's/.*bin/bin/')" = bin/eyot-oshcc ]
pkg-config --cflags eyot-shmem | grep -q 'eyot-shmem'
"$prefix/bin/eyotcc" --show prog.c -o x | grep -q -- '-Bsymbolic'
for example in dsde gups hashtable heat3d lulesh_halo milc minimd ring; do
  "$prefix/bin/eyotcc" "$prefix/share/doc/eyot/examples/$example"/*.c -o "$example" -lm
done

echo "== documentation and examples"
for file in LICENSE README.md CHANGELOG.md; do cmp "$source/$file" "$prefix/share/doc/eyot/$file"; done
for dir_of in docs examples; do
  # What make and git know of them stays in the sources.
  diff -r -x CMakeLists.txt "$source/$dir_of" "$prefix/share/doc/eyot/$dir_of"
done

echo "== find_package"
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(outside C CXX)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(Eyot 0.1 REQUIRED)
eyot_add_program(with_cmake prog.c)
eyot_add_program(with_cmake_cxx prog_cxx.cpp)
foreach(fabric sim mpi)
  eyot_add_program(with_cmake_shmem_${fabric} shmem.c)
  target_link_libraries(with_cmake_shmem_${fabric} PRIVATE Eyot::shmem)
  target_compile_definitions(with_cmake_shmem_${fabric} PRIVATE EYOT_NAME="${fabric}")
endforeach()
END
command -v ninja >/dev/null && export CMAKE_GENERATOR=Ninja # there may be no make
cmake -S . -B b "-DCMAKE_PREFIX_PATH=$prefix" >cmake.log 2>&1 && cmake --build b >>cmake.log 2>&1 || { cat cmake.log; exit 1; }
cp b/with_cmake* .

for fabric in $fabrics; do
  for program in with_eyotcc with_eyotcxx with_cmake with_cmake_cxx; do
    run "$program" "$fabric"
  done
  for program in with_oshcc with_oshcxx with_cmake_shmem; do
    run "${program}_$fabric" "$fabric"
  done
  for program in with_mpicc with_mpicxx; do
    "$prefix/bin/eyotrun" --fabric "$fabric" -n 3 "./$program" | grep -q '^3 ranks, sum 3$'
  done
  for program in with_upcc with_upc_in_c; do
    "$prefix/bin/eyotrun" --fabric "$fabric" -n 3 "./$program" | grep -q '3[.]14159'
  done
  "$prefix/bin/eyot-oshrun" --fabric "$fabric" -np 3 "./with_oshcc_$fabric" | grep -q '^3 units'
done

echo "== eyot-info"
"$prefix/bin/eyot-info" >info
grep -q '^EYOT_HEAP_SIZE' info
for fabric in $fabrics; do grep -Eq "^  $fabric +found" info; done

if [ -d "$build/pages" ]; then
  echo "== manual pages and completions"
  for tool in eyotrun eyotcheck eyot-info eyot-calibrate eyotcc eyotcxx eyot-oshcc eyot-oshc++ eyot-oshrun eyot-mpicc eyot-mpicxx; do
    [ -s "$prefix/share/man/man1/$tool.1" ]
    bash -c '. "$1"; complete -p "$2"' - "$prefix/share/bash-completion/completions/$tool" $tool >/dev/null
  done
fi

echo "== uninstall"
"$source/dev" uninstall "$prefix"
if [ -e "$prefix" ]; then
  echo "install_test: these are left in $prefix:"
  find "$prefix"
  exit 1
fi
if "$source/dev" uninstall "$prefix" 2>refusal; then echo "install_test: a second uninstallation succeeded"; exit 1; fi
grep -q 'no installation of eyot' refusal
# Beside other software: twice into the same place, removed by the target of the build.
shared=$dir/shared
mkdir -p "$shared/bin" "$shared/share/man/man1" "$shared/lib/pkgconfig"
touch "$shared/bin/other" "$shared/lib/pkgconfig/other.pc"
(cd "$shared" && find . | sort) >before
cmake --install "$build" --prefix "$shared" >/dev/null
cmake --install "$build" --prefix "$shared" >/dev/null
cmake --build "$build" --target uninstall >uninstall.log 2>&1 || { cat uninstall.log; exit 1; }
(cd "$shared" && find . | sort) | diff before - || { echo "install_test: the folder of other software is not as before"; exit 1; }
echo "install_test: ok"
