#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# headers.sh SOURCE_DIR CC CXX [MPI_INCLUDE_DIR...] - every public header compiles alone, as C17 and as C++17,
# without warnings; every internal one as C17. A C file that includes one before anything else shows it of that one in
# each build. Those of src/fabric_real need the folders of mpi.h; without them they are counted as left out.
root=$1 cc=$2 cxx=$3
shift 3
mpi=
for folder in "$@"; do mpi="$mpi -isystem $folder"; done
PUBLIC_LEAST=35 INTERNAL_LEAST=110
bad=0 public=0 internal=0 left_out=0 shown=0
for h in "$root"/include/eyot/*.h; do
  public=$((public + 1))
  echo "#include <eyot/$(basename "$h")>" | "$cc" -std=c17 -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only -I"$root/include" -x c - || bad=1
  echo "#include <eyot/$(basename "$h")>" | "$cxx" -std=c++17 -Wall -Wextra -pedantic -Werror -Wno-missing-field-initializers -fsyntax-only -I"$root/include" -x c++ - || bad=1
done
# shmem.h also as C99, without its type-generic part.
for h in $(cd "$root/include/eyot-shmem" && find . -name '*.h' | sort); do
  case $h in */cxx.h) standards= ;; */generic.h) standards=c17 ;; *) standards="c99 c17" ;; esac
  public=$((public + 1))
  for standard in $standards; do
    echo "#include <${h#./}>" | "$cc" -std=$standard -Wall -Wextra -Wconversion -Wshadow -pedantic -Werror -fsyntax-only -I"$root/include/eyot-shmem" -x c - || bad=1
  done
  case $h in */generic.h) continue ;; esac
  echo "#include <${h#./}>" | "$cxx" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$root/include/eyot-shmem" -x c++ - || bad=1
done
# UPC's headers use eyot's own. Some are UPC, for translators; and C++ programs are not translated.
for h in $(cd "$root/include/eyot-upc" && find . -name '*.h' | sort); do
  case $h in
    ./upcr_preinclude/upc_types.h | ./upcr_preinclude/*_bits.h) ;;
    ./upcr_preinclude/*) continue ;;
  esac
  public=$((public + 1))
  echo "#include <${h#./}>" | "$cc" -std=gnu17 -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only -I"$root/include" -I"$root/include/eyot-upc" -x c - || bad=1
  echo "#include <${h#./}>" | "$cxx" -std=c++17 -Wall -Wextra -Werror -Wno-missing-field-initializers -fsyntax-only -I"$root/include" -I"$root/include/eyot-upc" -x c++ - || bad=1
done
# mpi.h as C99 too; the lists that it includes are compiled with it.
public=$((public + 1))
for standard in c99 c17; do
  echo "#include <mpi.h>" | "$cc" -std=$standard -Wall -Wextra -Wconversion -Wshadow -pedantic -Werror -fsyntax-only -I"$root/include/eyot-mpi" -x c - || bad=1
done
echo "#include <mpi.h>" | "$cxx" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$root/include/eyot-mpi" -x c++ - || bad=1
# The header of which a C file's first line for the preprocessor is the include.
first=" $(find "$root/src" -name '*.c' -exec awk '
  FNR == 1 { on = 1 }
  on && /^[ \t]*#/ { on = 0; if ($0 ~ /^#include "/) { split($0, part, "\""); print part[2] } }' {} + | tr '\n' ' ')"
for h in $(find "$root/src" -name '*.h' | sort); do
  case $first in *" ${h#"$root"/src/} "*) shown=$((shown + 1)); continue ;; esac
  if [ -z "$mpi" ] && [ "${h#"$root"/src/fabric_real/}" != "$h" ]; then
    left_out=$((left_out + 1))
    continue
  fi
  internal=$((internal + 1))
  echo "#include \"${h#"$root"/src/}\"" | "$cc" -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unused-function -fsyntax-only \
    -I"$root/include" -I"$root/include/eyot-shmem" -I"$root/include/eyot-upc" -I"$root/src" $mpi -x c - || { echo "headers: $h"; bad=1; }
done
[ $public -ge $PUBLIC_LEAST ] && [ $((internal + left_out + shown)) -ge $INTERNAL_LEAST ] || { echo "headers: looked at $public, $internal and $shown only"; bad=1; }
[ $bad -eq 0 ] && echo "headers: ok, public=$public internal=$internal shown=$shown left_out=$left_out"
exit $bad
