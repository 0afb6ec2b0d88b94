#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bite.sh SOURCE_DIR - the layer rule can fail: a copy of the sources with one forbidden include, at the top of a
# layer or in a folder of it, one stray mpi.h or getenv, or hardly any files, must be refused.
root=$1
here=$root/tests/rules
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bites=0
copy() { rm -rf "$work/src" && cp -r "$root/src" "$work/src"; }
refused() {
  sh "$here/layers.sh" "$work" >/dev/null 2>&1 && { echo "bite: $1 was not noticed"; exit 1; }
  bites=$((bites + 1))
}
# One line more in a file, which is put back: a copy of all takes 20 times as long as the rule.
try() {
  [ -f "$work/src/$1" ] && echo "$2" >>"$work/src/$1" || { echo "bite: there is no src/$1"; exit 1; }
  refused "'$2' in src/$1"
  cp "$root/src/$1" "$work/src/$1" || exit 1
}
copy
sh "$here/layers.sh" "$work" >/dev/null || { echo "bite: the sources as they are are refused"; exit 1; }
try base/conf.c '#include "rt/rt.h"'
try base/check.h '#include "rt/mapped.h"'
try fabric/ctl.c '#include "rt/rt.h"'
try fabric/ctl.h '#include "coll/coll.h"'
try rt/rt.h '#include "init/count.h"'
try sync/locks/mcs.c '#include "coll/coll.h"'
try check/strategy/pct.c '#include "fabric_sim/engine/world.h"'
try check/strategy/pct.c '#include "rt/rt.h"'
try fabric_sim/engine/post.c '#include "fabric_sim/explore/untimed.h"'
try fabric_sim/engine/world.h '#include "fabric_sim/fault/fault.h"'
try fabric_sim/fault/fault.c '#include "fabric_sim/report/stats.h"'
try fabric_sim/report/report.c '#include "fabric_sim/explore/untimed.h"'
try fabric_sim/machine/net.h '#include "fabric_sim/engine/op.h"'
try rma/rma.h '#include "op.h"'
try rma/rma.h '#include <mpi.h>'
try sync/locks/mcs.c '#include <mpi.h>'
try teams/teams.h '#include <simgrid/engine.h>'
try fabric_sim/machine/net.c '#include <simgrid/engine.h>'
try rt/rt.c 'char *x(void) { return getenv("HOME"); }'
try fabric_real/wait/idle.h '#include "fabric_real/mem/attach_message.h"'
try fabric_real/progress/engine.c '#include "fabric_real/ops/complete.h"'
try fabric_real/endpoint/endpoint.h '#include "fabric_real/ops/signal.h"'
copy && mkdir "$work/src/fabric_real/misc" && mv "$work/src/fabric_real/ops/amo.c" "$work/src/fabric_real/misc/" && refused "a new folder of fabric_real"
copy && rm -rf "$work/src/fabric_sim" && refused "a missing folder"
copy && mkdir "$work/src/fabric_sim/other" && echo '#include "fabric_sim/engine/op.h"' >"$work/src/fabric_sim/other/a.c" &&
  refused "a folder of fabric_sim without a place"
echo "bite: ok, $bites bites"
