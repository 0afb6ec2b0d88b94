#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coverage.sh COMPILER INCLUDE_DIR LIBRARY OBJECTS... - every function that shmem.h declares is called by one of the conformance programs, and is defined by the
# library: by its name, weak, so that a tool can replace it, and by its profiling name.
compiler=$1 include=$2 library=$3
shift 3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0
printf '#include <pshmem.h>\n#include <shmemx.h>\n' | $compiler -std=c99 -E -I"$include" -I"$include/eyot-shmem" -x c - | grep -v '^#' | tr ';' '\n' |
  grep -Eo '\b(p?shmem_[a-z0-9_]+|start_pes|_my_pe|_num_pes|sh(malloc|free|realloc|memalign)) *\(' | tr -d ' (' | sort -u >"$work/all"
grep '^pshmem_' "$work/all" >"$work/profiling"
grep -v '^pshmem_' "$work/all" >"$work/declared"
[ "$(wc -l <"$work/declared")" -ge 1500 ] || { echo "only $(wc -l <"$work/declared") functions are declared, expected at least 1500"; bad=1; }
nm -u "$@" | awk 'NF == 2 { print $2 }' | sort -u >"$work/called"
nm "$library" 2>/dev/null | awk 'NF == 3 && $2 ~ /^[TW]$/ { print $3 }' | sort -u >"$work/defined"
nm "$library" 2>/dev/null | awk 'NF == 3 && $2 == "W" { print $3 }' | sort -u >"$work/weak"
comm -23 "$work/declared" "$work/called" >"$work/uncalled"
[ -s "$work/uncalled" ] && { echo "no program calls:"; cat "$work/uncalled"; bad=1; }
comm -23 "$work/all" "$work/defined" >"$work/undefined"
[ -s "$work/undefined" ] && { echo "declared, and not defined:"; cat "$work/undefined"; bad=1; }
sed -n 's/^p//p' "$work/profiling" | comm -23 - "$work/weak" >"$work/strong"
[ -s "$work/strong" ] && { echo "not weak, or without a profiling name:"; cat "$work/strong"; bad=1; }
grep '^shmem_' "$work/declared" | sed 's/^/p/' | comm -23 - "$work/profiling" >"$work/without"
[ -s "$work/without" ] && { echo "without a profiling name:"; cat "$work/without"; bad=1; }
echo "$(wc -l <"$work/declared") functions declared, $(comm -12 "$work/declared" "$work/called" | wc -l) called"
exit $bad
