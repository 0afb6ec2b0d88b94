# plant.sh - what run.sh and check.sh share: reading a mutant, compiling it, linking a library with it, the line of --result. To be sourced; wants $here, $root, $build.
SMALL="--platform=dragonfly:chassis=1,blades=2,nodes=2 --units-per-node=2" # four units cross each kind of boundary
core=$build/CMakeFiles/eyot_core.dir
# shellcheck source=../support/result.sh
. "$here/../support/result.sh"
# Where a message begins with "mutants:" the run is worthless, and ends.
die() { echo "mutants: $*" >&2; exit 2; }
[ -f "$build/compile_commands.json" ] || die "$build has no compile_commands.json: configure it with CMake first"

# section FILE NAME: its lines.
section() { awk -v want="== $2" '/^== /{on = ($0 == want); next} on' "$1"; }
header() { sed -n "s/^$2: //p;/^== /q" "$1"; }

# link DIR OBJECT SOURCE: a library of all objects, but with OBJECT for that of SOURCE (none: all as they are).
link() {
  mkdir -p "$1" || exit 2
  objects=$(find "$core/src" -name '*.o' ${3:+! -path "$core/$3.o"})
  # The objects have machine code beside what link-time optimization wants.
  cc -shared -fno-lto -Wl,-soname,libeyot.so.0 -o "$1/libeyot.so.0" $objects ${2:-} -ldl -lm >"$1/log" 2>&1 || {
    cat "$1/log"
    die "cannot link"
  }
}

# change MUTANT DIR: the changed source, DIR/mutant.c.
change() {
  file=$(header "$1" file)
  text=$(header "$1" in)
  text=${text:-$file}
  for part in "$file" "$text"; do [ -f "$root/$part" ] || die "$1: there is no file '$part'"; done
  [ -n "$(header "$1" fault)" ] || die "$1: no line 'fault: ...'"
  section "$1" original >"$2/original"
  section "$1" replacement >"$2/replacement"
  [ -s "$2/original" ] || die "$1: no original text"
  awk -v o="$2/original" -v r="$2/replacement" '
    function slurp(f,   line, all, n) { while ((getline line < f) > 0) all = all (n++ ? "\n" : "") line; close(f); return all }
    BEGIN {
      text = slurp(ARGV[1]); from = slurp(o); to = slurp(r)
      at = index(text, from)
      if (at == 0) { print "its original text does not occur" > "/dev/stderr"; exit 1 }
      if (index(substr(text, at + 1), from) != 0) { print "its original text occurs more than once" > "/dev/stderr"; exit 1 }
      if (from == to) { print "original and replacement are the same" > "/dev/stderr"; exit 1 }
      printf "%s%s%s\n", substr(text, 1, at - 1), to, substr(text, at + length(from))
    }' "$root/$text" >"$2/mutant.c" || die "$1: cannot be planted in $text"
  [ "$text" != "$file" ] || return 0
  # A header: the source as it is, which finds the changed header first.
  mkdir -p "$2/include/$(dirname "${text#src/}")"
  mv "$2/mutant.c" "$2/include/${text#src/}"
  cp "$root/$file" "$2/mutant.c"
}

# compile MUTANT DIR: the changed source and its object.
compile() {
  change "$1" "$2"
  command=$(awk -v source="$root/$file" '/"command":/ && /\/(eyot_core|eyot_check|eyot-shmem|eyot-mpi|eyot-upc|eyot-fabric-mpi|eyot-fabric-sim|eyotrun)\.dir\// && index($0, "-c " source "\"") {
      sub(/^ *"command": "/, ""); sub(/",?$/, ""); gsub(/\\"/, "\""); print; exit }' "$build/compile_commands.json")
  [ -n "$command" ] || die "$build has no command that compiles $file"
  # Nothing looks at what link-time optimization would want of it.
  command=$(printf '%s\n' "$command" | sed "s| -flto[^ ]*||g; s| -f[a-z-]*fat-lto-objects||g; s| -o [^ ]*| -o $2/mutant.o|; s| -c [^ ]*| -iquote $2/include -iquote $(dirname "$root/$file") -w -c $2/mutant.c|")
  (cd "$build" && sh -c "$command") >"$2/log" 2>&1 || { cat "$2/log"; die "$1: does not compile"; }
}

# read_test [--small] [--option=value...] PROGRAM [ARGUMENTS]: $options, $program, $arguments (words without blanks).
read_test() {
  options=
  while [ "${1#--}" != "$1" ]; do
    if [ "$1" = --small ]; then options="$options $SMALL"; else options="$options $1"; fi
    shift
  done
  program=$build/tests/bin/$1
  [ -x "$program" ] || die "there is no program $program"
  shift
  arguments=$*
}

# relink OUTPUT TO [OBJECT SOURCE]: links OUTPUT, a path below $build, as TO, with OBJECT for that of SOURCE.
relink() {
  command=$(ninja -C "$build" -t commands -s "$1" 2>/dev/null | tail -n 1)
  case $command in *" -o $1 "*) ;; *) die "$build has no command that links $1; it must be a build of Ninja with tests" ;; esac
  command=$(printf '%s\n' "$command" | sed "s| -o $1 | -o $2 |; s| -flto[^ ]*||g; s| -fno-fat-lto-objects| -fno-lto|g")
  if [ $# -gt 2 ]; then
    case $command in *"/$4.o "*) ;; *) die "$1 has no object of $4" ;; esac
    command=$(printf '%s\n' "$command" | sed "s| [^ ]*/$4\.o | $3 |")
  fi
  (cd "$build" && sh -c "$command") >"$work/log" 2>&1 || { cat "$work/log"; die "cannot link $1"; }
}
