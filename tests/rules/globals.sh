#!/bin/sh
# globals.sh LIBEYOT BUILD_DIR - no writable file-scope or static variable in the library and its fabrics but eyot_current, eyoti_fast_parts (docs/adr/0020), and faults_of of explore/one_run.c:
# signal handlers have no argument.
# Three empty constants of Boost's headers, which SimGrid's include, have constructors and so look writable where nothing is optimized away.
build=$2
bad=0
objects=$(find "$build/CMakeFiles/eyot_core.dir" "$build"/CMakeFiles/eyot-fabric-*.dir -name '*.o' 2>/dev/null)
[ -n "$objects" ] || { echo "globals: no object files below $build"; exit 1; }
if nm $objects 2>/dev/null | grep -q '__gcov\|__asan_\|__llvm_'; then
  echo "globals: instrumented build, nothing to check"
  exit 0
fi
for object in $objects; do
  # Symbols in .data, .bss, .tdata, .tbss or common. .data.rel.ro is constant after loading.
  found=$(objdump -t "$object" | awk '$0 ~ / O / && ($0 ~ /[ \t]\.(data|bss|tdata|tbss)(\.[^r][^ \t]*)?[ \t]/ || $0 ~ /\*COM\*/) && $0 !~ /\.data\.rel\.ro/ {print $NF}' |
    grep -vE '^(eyot_current|eyoti_fast_parts|faults_of|DW\.ref\..*|_ZGV.*|_ZN5boost(4noneE|11optional_nsL(13in_place_initE|16in_place_init_ifE)))$')
  [ -z "$found" ] || { echo "globals: $object has writable: $found"; bad=1; }
done
[ $bad -eq 0 ] && echo "globals: ok, $(echo "$objects" | wc -l) objects"
exit $bad
