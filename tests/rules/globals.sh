#!/bin/sh
# globals.sh LIBEYOT BUILD_DIR - the library and its fabrics have no writable file-scope or static variable but
# eyot_current, eyoti_fast_parts (docs/adr/0020), words_of_interface (docs/adr/0052), and faults_of of explore/one_run.c, because signal handlers have
# no argument. Three empty constants of Boost's headers, which SimGrid's include, have constructors and so look
# writable where nothing is optimized away; and SimGrid 4.0's header of tasks has three signals. Fails when it sees fewer object files than LEAST.
LEAST=90
build=$2
bad=0
objects=$(find "$build/CMakeFiles/eyot_core.dir" "$build"/CMakeFiles/eyot-fabric-*.dir -name '*.o' 2>/dev/null)
count=$(echo "$objects" | grep -c .)
[ "$count" -ge $LEAST ] || { echo "globals: $count object files below $build; expected at least $LEAST"; exit 1; }
# The build says whether it is instrumented: objects of a plain one name gcov too (explore/gcov_counters.c).
if grep -qE '^EYOT_(COVERAGE:BOOL=(ON|1|TRUE)|SANITIZE:STRING=.+)$' "$build/CMakeCache.txt"; then
  echo "globals: instrumented build, nothing to check"
  exit 0
fi
for object in $objects; do
  # Symbols in .data (.data.rel: with relocations), .bss, .tdata, .tbss or common. .data.rel.ro is constant after loading.
  found=$(objdump -t "$object" | awk '$0 ~ / O / && ($0 ~ /[ \t]\.(data|bss|tdata|tbss)(\.[^ \t]*)?[ \t]/ || $0 ~ /\*COM\*/) && $0 !~ /\.data\.rel\.ro/ {print $NF}' |
    grep -vE '^(eyot_current|eyoti_fast_parts|faults_of|words_of_interface|DW\.ref\..*|_ZGV.*|_ZN5boost(4noneE|11optional_nsL(13in_place_initE|16in_place_init_ifE))|_ZN7simgrid3s4u4Task[0-9]+on_.*)$')
  [ -z "$found" ] || { echo "globals: $object has writable: $found"; bad=1; }
done
[ $bad -eq 0 ] && echo "globals: ok, $count objects"
exit $bad
