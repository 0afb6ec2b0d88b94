#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# circles.sh BUILD_DIR [LIMIT] [--list] - finds source files that need each other in a circle, and fails if a
# circle has more files than LIMIT (6): such files can only be read together. --list names the files of every
# circle, not only of those over the limit.
#
# A file needs another one if its object has an undefined symbol that the other's defines; tables of functions
# count. Circles are the strongly connected components, found in each folder of src, in the core (all that
# libeyot.so is made of), and in all together.
set -u
FILES_LEAST=100
build=${1:?circles.sh BUILD_DIR [LIMIT] [--list]}
shift
limit=6 list=0
while [ $# -gt 0 ]; do
  case $1 in
    --list) list=1 ;;
    *[!0-9]* | '') echo "circles: unknown option '$1'" >&2; exit 2 ;;
    *) limit=$1 ;;
  esac
  shift
done
cd "$build" || exit 2
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' CMakeCache.txt)
# Objects of files that have moved away stay in a build folder and would count twice.
objects=$(find CMakeFiles -path 'CMakeFiles/*.dir/src/*' -name '*.o' | sort | while read -r object; do
  file=${object#CMakeFiles/*.dir/}
  [ -f "$source/${file%.o}" ] && echo "$object"
done)
[ -n "$objects" ] || { echo "circles: no object files below $build" >&2; exit 2; }
# objdump, not nm: of an object with link-time optimization nm shows what the plugin says, without
# what is used inside.
objdump -t $objects | awk -v limit="$limit" -v list=$list -v least=$FILES_LEAST '
  /file format/ {
    object = $1; sub(/:$/, "", object)
    target = object; sub(/^CMakeFiles\//, "", target); sub(/\.dir\/.*/, "", target)
    file = object; sub(/.*\.dir\//, "", file); sub(/\.o$/, "", file)
    # The sources of fabric_real are compiled once for each MPI: the first will do.
    skip = file in of
    if (skip) next
    of[file] = target
    files[++n] = file
    next
  }
  skip || NF < 3 { next }
  / \*UND\*/ { uses[n] = uses[n] " " $NF; next }
  /^[0-9a-f]+ g/ { at[target, $NF] = n; if (target !~ /^eyot-fabric-/) shared[$NF] = n }
  function group_of(file,   part) { split(file, part, "/"); return part[1] "/" part[2] }
  # Tarjan. in_group: the nodes that count.
  function visit(v,   i, w, size, names) {
    low[v] = found[v] = ++clock
    stack[++depth] = v; on[v] = 1
    for (i = 1; i <= n_out[v]; i++) {
      w = out[v, i]
      if (!(w in in_group)) continue
      if (!(w in found)) { visit(w); if (low[w] < low[v]) low[v] = low[w] }
      else if (w in on && found[w] < low[v]) low[v] = found[w]
    }
    if (low[v] != found[v]) return
    do { w = stack[depth--]; delete on[w]; size++; names = names "\n    " files[w] } while (w != v)
    if (size > largest) largest = size
    if (size > 1) circles++
    if (size > limit) over++
    if (size > limit || list && size > 1) text = text "  " size " files:" names "\n"
  }
  function search(name,   v, count) {
    split("", found); split("", low); split("", on)
    clock = depth = largest = over = circles = 0; text = ""
    for (v in in_group) { count++; if (!(v in found)) visit(v) }
    printf "circles: %s: files=%d circles=%d largest=%d over=%d\n%s", name, count, circles, largest, over, text
    if (largest > most) most = largest
    bad += over
  }
  END {
    if (n < least) { print "circles: " n " files, expected at least " least; exit 2 }
    for (v = 1; v <= n; v++) {
      k = split(uses[v], name, " ")
      split("", have)
      for (i = 1; i <= k; i++) {
        w = (of[files[v]], name[i]) in at ? at[of[files[v]], name[i]] : name[i] in shared ? shared[name[i]] : v
        if (w != v && !(w in have)) { have[w] = 1; out[v, ++n_out[v]] = w }
      }
      g = group_of(files[v])
      if (!(g in groups)) { groups[g] = 1; order[++n_groups] = g }
    }
    for (j = 1; j <= n_groups; j++) {
      split("", in_group)
      for (v = 1; v <= n; v++) if (group_of(files[v]) == order[j]) in_group[v] = 1
      search(order[j])
    }
    split("", in_group)
    for (v = 1; v <= n; v++) if (of[files[v]] == "eyot_core") in_group[v] = 1
    search("core")
    split("", in_group)
    for (v = 1; v <= n; v++) in_group[v] = 1
    search("all")
    printf "circles: largest=%d over=%d\n", most, bad
    exit bad > 0
  }'
