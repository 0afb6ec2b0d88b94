#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layers.sh SOURCE_DIR - checks who may include whom. A layer includes only layers below it:
# init -> fused, msg -> coll -> sync -> rma -> gmem -> teams -> rt -> fabric -> base. The fabrics stand on rt, fabric and
# base. Includes are rooted at src/. Only fabric_real includes mpi.h, only fabric_sim/simgrid SimGrid; getenv stands in
# base/conf.c alone, and in interfaces. Fails when it sees fewer files than LEAST: a rule that looks at nothing proves nothing.
LEAST=720
src=$1/src
bad=0
say() { echo "layers: $*"; bad=1; }

# allowed LAYER sets `known`: no process is made for each of thousands of includes.
allowed() {
  case $1 in
    base) known="base" ;;
    fabric) known="fabric base" ;;
    rt) known="rt fabric base" ;;
    teams) known="teams rt fabric base" ;;
    gmem) known="gmem teams rt fabric base" ;;
    rma) known="rma gmem teams rt fabric base" ;;
    sync) known="sync rma gmem teams rt fabric base" ;;
    coll) known="coll sync rma gmem teams rt fabric base" ;;
    msg) known="msg sync rma gmem teams rt fabric base" ;;
    fused) known="fused coll sync rma gmem teams rt fabric base" ;;
    init) known="init fused msg coll sync rma gmem teams rt fabric base" ;;
    fabric_real) known="fabric_real rt fabric base" ;;
    check) known="check base" ;;
    fabric_sim) known="fabric_sim check rt fabric base" ;;
    prog) known="prog init gmem rt base" ;;
    interfaces) known="interfaces" ;;
    *) known="" ;;
  esac
}

# The folders of fabric_real: endpoint holds the state, launch opens and closes it.
allowed_real() {
  case $1 in
    endpoint) known="endpoint" ;;
    wait) known="wait endpoint" ;;
    mem) known="mem wait endpoint" ;;
    progress) known="progress mem wait endpoint" ;;
    ops) known="ops progress mem wait endpoint" ;;
    launch) known="launch ops progress mem wait endpoint" ;;
    *) known="" ;;
  esac
}
# check_real FILE INCLUDE - both below src/
check_real() {
  from=${1#fabric_real/} to=${2#fabric_real/}
  [ "$from" != "$1" ] || return 0
  allowed_real "${from%%/*}"
  [ -n "$known" ] || { say "src/$1: a folder of fabric_real that the rules do not know"; return 0; }
  [ "$to" != "$2" ] || return 0
  case " $known " in *" ${to%%/*} "*) ;; *) say "src/$1 includes $2: ${from%%/*} may include only: $known" ;; esac
}

# Folders of fabric_sim, each above those that it may include; the files at its top may include all.
allowed_sim() {
  case $1 in
    host) known="host" ;;
    machine) known="machine host" ;;
    exec) known="exec" ;;
    simgrid) known="simgrid exec machine" ;;
    program) known="program host" ;;
    engine) known="engine program exec machine host" ;;
    fault) known="fault engine program exec machine host" ;;
    report) known="report fault engine program exec machine host" ;;
    explore) known="explore report fault engine program exec machine host" ;;
    *) known="" ;;
  esac
}
# check_sim FILE INCLUDE, both below src/fabric_sim
check_sim() {
  case $1 in */*) ;; *) return ;; esac
  allowed_sim "${1%%/*}"
  [ -n "$known" ] || { say "src/fabric_sim/${1%%/*} is a folder that the rules do not know"; return; }
  case " $known " in *" ${2%%/*} "*) ;; *) say "src/fabric_sim/$1 includes $2: may include only: $known" ;; esac
}

work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT
find "$src" -name '*.c' -o -name '*.h' -o -name '*.cpp' | sort >"$work"
files=$(wc -l <"$work")
while read -r file; do
  rel=${file#"$src"/}
  allowed "${rel%%/*}"
  [ -n "$known" ] || say "src/${rel%%/*} is a folder that the rules do not know"
done <"$work"

# FILE:INCLUDE, both below src/
grep -roE --include='*.c' --include='*.h' --include='*.cpp' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*"' "$src" | sort |
  sed "s|^$src/||; s|:[[:space:]]*#[[:space:]]*include[[:space:]]*\"|:|; s|\"\$||" >"$work"
while IFS=: read -r rel inc; do
  layer=${rel%%/*}
  [ -f "$src/$inc" ] || { say "src/$rel includes $inc: write the path from src/"; continue; }
  case $rel:$inc in fabric_sim/*:fabric_sim/*) check_sim "${rel#fabric_sim/}" "${inc#fabric_sim/}" ;; esac
  allowed "$layer"
  [ -n "$known" ] || continue
  case " $known " in *" ${inc%%/*} "*) ;; *) say "src/$rel includes $inc: $layer may include only: $known" ;; esac
  check_real "$rel" "$inc"
done <"$work"

grep -nE '#[[:space:]]*include[[:space:]]*[<"]mpi\.h' -r "$src" | grep -v "^$src/fabric_real/" && say "mpi.h outside src/fabric_real"
grep -nE '#[[:space:]]*include[[:space:]]*[<"](simgrid|xbt)/' -r "$src" | grep -v "^$src/fabric_sim/simgrid/" && say "SimGrid outside src/fabric_sim/simgrid"
grep -nwE '(getenv|secure_getenv|setenv|putenv)[[:space:]]*\(' -r "$src" --include=*.c --include=*.cpp | grep -v "^$src/base/conf\.c:" | grep -v "^$src/interfaces/" && say "the environment is read outside base/conf.c"
# Interfaces stand on the public API alone, as a user's own would: no internal header, no internal name.
grep -nE '\beyoti_|\bEYOTI_|\bfab_' -r "$src/interfaces" && say "an interface uses an internal name of eyot"
[ "$files" -ge $LEAST ] || say "looked at $files files only; expected at least $LEAST"
[ $bad -eq 0 ] && echo "layers: ok, $files files"
exit $bad
