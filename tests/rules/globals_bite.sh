#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# globals_bite.sh BUILD_DIR CC - globals.sh can fail: beside the objects of a plain build, one with a writable
# variable and hardly any objects at all must each be refused.
build=$1 cc=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
core=$work/CMakeFiles/eyot_core.dir
mkdir -p "$core" && cp "$build/CMakeCache.txt" "$work/" || exit 1
refused() { # WHY REGEX
  said=$(sh "$here/globals.sh" - "$work") && { echo "globals_bite: $1 was not noticed: $said"; exit 1; }
  echo "$said" | grep -q "$2" || { echo "globals_bite: $1: expected '$2', got: $said"; exit 1; }
}
refused "an empty build" 'expected at least'
n=0
for object in $(find "$(cd "$build" && pwd)/CMakeFiles/eyot_core.dir" -name '*.o'); do
  n=$((n + 1))
  ln -s "$object" "$core/$n.o" || exit 1
done
sh "$here/globals.sh" - "$work" >/dev/null || { echo "globals_bite: the objects as they are are refused"; exit 1; }
echo 'static int planted; int *planted_at(void) { return &planted; }' | "$cc" -x c -c -o "$core/planted.o" - || exit 1
refused "a writable static variable" 'planted'
# GCC puts a variable whose value is a relocation into .data.rel, clang into .data.
echo 'extern int there; int *pointed = &there;' | "$cc" -x c -fPIC -c -o "$core/planted.o" - || exit 1
refused "a writable pointer" 'pointed'
echo "globals_bite: ok, 3 bites beside $n objects"
