#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layers.sh SOURCE_DIR - checks who may include whom. A layer includes only layers below it:
# init -> coll -> sync -> rma -> gmem -> teams -> rt -> fabric -> base. The fabrics stand on rt, fabric and
# base. Includes are rooted at src/. Only fabric_real includes mpi.h, only fabric_sim SimGrid; getenv stands in
# base/conf.c alone. Fails when it sees fewer files than LEAST: a rule that looks at nothing proves nothing.
LEAST=300
src=$1/src
bad=0
say() { echo "layers: $*"; bad=1; }

allowed() {
  case $1 in
    base) echo "base" ;;
    fabric) echo "fabric base" ;;
    rt) echo "rt fabric base" ;;
    teams) echo "teams rt fabric base" ;;
    gmem) echo "gmem teams rt fabric base" ;;
    rma) echo "rma gmem teams rt fabric base" ;;
    sync) echo "sync rma gmem teams rt fabric base" ;;
    coll) echo "coll sync rma gmem teams rt fabric base" ;;
    init) echo "init coll sync rma gmem teams rt fabric base" ;;
    fabric_real) echo "fabric_real rt fabric base" ;;
    check) echo "check base" ;;
    fabric_sim) echo "fabric_sim check rt fabric base" ;;
    prog) echo "prog init rt base" ;;
    *) echo "" ;;
  esac
}

work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT
find "$src" -name '*.c' -o -name '*.h' -o -name '*.cpp' | sort >"$work"
files=$(wc -l <"$work")
while read -r file; do
  rel=${file#"$src"/}
  layer=${rel%%/*}
  ok=$(allowed "$layer")
  [ -n "$ok" ] || { say "src/$layer is a folder that the rules do not know"; continue; }
  for inc in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file"); do
    [ -f "$src/$inc" ] || { say "src/$rel includes $inc: write the path from src/"; continue; }
    case " $ok " in *" ${inc%%/*} "*) ;; *) say "src/$rel includes $inc: $layer may include only: $ok" ;; esac
  done
done <"$work"

grep -nE '#[[:space:]]*include[[:space:]]*[<"]mpi\.h' -r "$src" | grep -v "^$src/fabric_real/" && say "mpi.h outside src/fabric_real"
grep -nE '#[[:space:]]*include[[:space:]]*[<"](simgrid|xbt)/' -r "$src" | grep -v "^$src/fabric_sim/" && say "SimGrid outside src/fabric_sim"
grep -nwE '(getenv|secure_getenv|setenv|putenv)[[:space:]]*\(' -r "$src" --include=*.c --include=*.cpp | grep -v "^$src/base/conf\.c:" && say "the environment is read outside base/conf.c"
[ "$files" -ge $LEAST ] || say "looked at $files files only; expected at least $LEAST"
[ $bad -eq 0 ] && echo "layers: ok, $files files"
exit $bad
