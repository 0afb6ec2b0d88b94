#!/bin/sh
# layers.sh SOURCE_DIR - who may include what. A layer includes only layers below it: coll -> sync -> rma -> gmem -> teams -> fabric; base and rt.h are open to all; the
# fabrics include fabric, base and rt; only fabric_real includes mpi.h, only fabric_sim SimGrid; getenv lives in base/conf.c alone.
src=$1/src
bad=0
say() { echo "layers: $*"; bad=1; }

allowed() {
  case $1 in
    base) echo "base rt" ;;
    fabric) echo "fabric base rt" ;;
    teams) echo "teams fabric base rt" ;;
    gmem) echo "gmem teams fabric base rt" ;;
    rma) echo "rma gmem teams fabric base rt" ;;
    sync) echo "sync rma gmem teams fabric base rt" ;;
    coll) echo "coll sync rma gmem teams fabric base rt" ;;
    rt) echo "rt base fabric teams gmem rma sync coll" ;;
    fabric_real) echo "fabric_real fabric base rt" ;;
    check) echo "check base rt" ;;
    fabric_sim) echo "fabric_sim check fabric base rt" ;;
    prog) echo "prog rt base" ;;
    *) echo "" ;;
  esac
}

for dir in "$src"/*/; do
  layer=$(basename "$dir")
  ok=$(allowed "$layer")
  [ -n "$ok" ] || { say "src/$layer is a room that the rules do not know"; continue; }
  for file in "$dir"*.c "$dir"*.h "$dir"*.cpp; do
    [ -f "$file" ] || continue
    for inc in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file"); do
      case $inc in
        ../*/*) other=${inc#../}; other=${other%%/*} ;;
        */*) other=${inc%%/*} ;;
        *) other=$layer ;;
      esac
      case " $ok " in *" $other "*) ;; *) say "$file includes $inc: $layer may include only: $ok" ;; esac
      # rt.h, proc.h, module.h and exit.h are open to all; base may look at rt.h for log and panic only.
      if [ "$layer" = base ] && [ "$other" = rt ] && [ "$inc" != ../rt/rt.h ]; then say "$file includes $inc"; fi
    done
  done
done

grep -nE '#[[:space:]]*include[[:space:]]*[<"]mpi\.h' -r "$src" | grep -v '/fabric_real/' && say "mpi.h outside src/fabric_real"
grep -nE '#[[:space:]]*include[[:space:]]*[<"](simgrid|xbt)/' -r "$src" | grep -v '/fabric_sim/' && say "SimGrid outside src/fabric_sim"
grep -nwE '(getenv|secure_getenv|setenv|putenv)[[:space:]]*\(' -r "$src" --include=*.c --include=*.cpp | grep -v '/base/conf\.c:' && say "the environment is read outside base/conf.c"
[ $bad -eq 0 ] && echo "layers: ok"
exit $bad
