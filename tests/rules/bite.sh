#!/bin/sh
# bite.sh SOURCE_DIR - the layer rule can fail: a copy of the sources with one forbidden include, one stray mpi.h and one stray getenv must be refused.
root=$1
here=$root/tests/rules
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
try() {
  rm -rf "$work/src" && cp -r "$root/src" "$work/src" && echo "$2" >>"$work/src/$1" || exit 1
  sh "$here/layers.sh" "$work" >/dev/null 2>&1 && { echo "bite: '$2' in src/$1 was not noticed"; exit 1; }
}
try fabric/ctl.h '#include "../coll/coll.h"'
try rma/rma.h '#include <mpi.h>'
try teams/teams.h '#include <simgrid/engine.h>'
try rt/rt.c 'char *x(void) { return getenv("HOME"); }'
echo "bite: ok"
