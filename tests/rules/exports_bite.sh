#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# exports_bite.sh SOURCE_DIR BUILD_DIR CC - exports.sh refuses a name too many in libeyot and in a module, a name too few, and a folder
# without modules.
source=$1 build=$2 cc=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/eyot"
# library OUTPUT NAME...: a shared library that exports NAMEs.
library() {
  output=$1
  shift
  for name; do echo "int $name = 1;"; done | "$cc" -x c -shared -fPIC -o "$output" - || exit 1
}
names=$(nm -D --defined-only "$build/lib/libeyot.so" | awk '{ print $NF }')
[ -n "$names" ] || exit 1
check() { said=$(sh "$here/exports.sh" "$source" "$work"); }
refused() { # WHY REGEX
  check && { echo "exports_bite: $1 was not noticed: $said"; exit 1; }
  echo "$said" | grep -q "$2" || { echo "exports_bite: $1: expected '$2', got: $said"; exit 1; }
}
# shellcheck disable=SC2086 # words
{
  library "$work/libeyot.so" $names
  refused "a folder without modules" 'no fabric module'
  library "$work/eyot/eyot-fabric-x.so" eyot_fabric_module
  check || { echo "exports_bite: the names as they are are refused: $said"; exit 1; }
  library "$work/eyot/eyot-fabric-x.so" eyot_fabric_module planted
  refused "a module with another name" 'eyot-fabric-x.so exports: eyot_fabric_module planted'
  library "$work/eyot/eyot-fabric-x.so" eyot_fabric_module
  library "$work/libeyot.so" $names eyot_planted
  refused "an undeclared name" 'exports eyot_planted, which no header'
  library "$work/libeyot.so" $(echo "$names" | grep -vx eyot_barrier)
  refused "a missing name" 'does not export eyot_barrier:'
}
echo "exports_bite: ok, 4 bites"
