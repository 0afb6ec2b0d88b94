#!/bin/sh
# interface.sh BIN_DIR PROGRAM_DIR SANITIZED - calls of an interface that marks them (eyot/caller.h), in the simulator and eyotcheck.
bin=$1 program=$2/interface sanitized=$3
. "$(dirname "$0")/../support/refuse.sh"
. "$(dirname "$0")/../support/interface.sh"
run="$bin/eyotrun --fabric sim -n 2" mapped=no
watched=$run
interface_ways
ends "before, named" 0 EYOT_ERRORS=return $run "$program" before
shows "error: layer_barrier: called before eyot_init .*called at $(at before)main\)"
ends race 1 $run --races "$program" race
shows "race.*layer_put_word .*$(at race)race\)"
refused_words 'a line of the interface' "$inside"
if [ "$sanitized" != ON ]; then # eyotcheck takes memory back, a sanitizer's cannot be
  ends steps 1 "$bin/eyotcheck" -n 2 --detect=-race --save /dev/null "$program" last
  shows "unit [01] +.*layer_(put_word|barrier|malloc|init).*called at interface\.c:[0-9]+ \("
  refused_words 'a line of the interface' "$inside"
  ends race_check 1 "$bin/eyotcheck" -n 2 --save /dev/null "$program" race
  shows "race: unit [01] in layer_put_word \($(at race)race\)\), unit [01] in layer_put_word"
fi
exit $bad
