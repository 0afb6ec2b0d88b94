#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pictures.sh SOURCE_DIR BUILD_DIR - the pictures of eyotcheck (--mermaid, --svg) hold what the text of the run has, are marked,
# escaped and readable (pictures.py); what cannot be drawn is said. Exit code 77: python3 is not installed.
set -u
source=$1 build=$2
reader=$(cd "$(dirname "$0")" && pwd)/pictures.py
python3 -c 'import xml.etree.ElementTree' 2>/dev/null || { echo "pictures: python3 is not installed"; exit 77; }
check=$build/bin/eyotcheck spinlock=$build/examples/spinlock program=$build/tests/bin/pictures
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0
wrong() { echo "$name: $*"; bad=1; }
# code NAME CODE REGEX COMMAND...: must end with this code and print REGEX; its output is in $output.
code() {
  name=$1 want=$2 regex=$3
  shift 3
  rm -f p.mmd p.svg
  output=$("$@" 2>&1 </dev/null)
  got=$?
  [ $got -eq "$want" ] && printf '%s\n' "$output" | grep -Eq -- "$regex" || wrong "code $got, expected $want and '$regex': $output"
}
# both CONDITION: it is true of both pictures.
both() { said=$(python3 "$reader" p.mmd p.svg "$1" 2>&1) || wrong "$said"; }
mermaid() { said=$(python3 "$reader" p.mmd "$1" 2>&1) || wrong "$said"; }
lines() { printf '%s\n' "$output" | grep -c -- "$1"; }
alone="--fewer-units=off --no-shrink"
draw="--mermaid p.mmd --svg p.svg"

# The spinlock story: found, and replayed. Each operation is an arrow; the failing step is marked once; values, lines, waits.
code found 1 'drawn in p.svg' "$check" -n 2 --detect=-race $draw "$spinlock"
both 'marked == 1 and "with ticket 1 the counter is 0" in texts'
code spinlock 1 'drawn in p.mmd' "$check" --replay eyotcheck.run $draw
posts=$(lines ' posts ')
[ "$posts" -ge 7 ] && [ "$posts" -eq "$(lines ' arrives: ')" ] || wrong "$posts operations are posted: $output"
both "arrows == $posts and late == 0 and lost == 0 and units == 2 and marked == 1 and missing == 0"
both 'all(t in texts for t in ["spinlock.c:53", "0 → 1", "wakes unit 1", "eyot_flush_all", "offset 16 == 1"])'
mermaid 'texts.index("FAILS HERE") > texts.index("15: continues in eyot_get")'
cp p.mmd first.mmd
cp p.svg first.svg
code again 1 . "$check" --replay eyotcheck.run $draw
cmp -s p.mmd first.mmd && cmp -s p.svg first.svg || wrong "another picture of the same run"
# Fewer units, whose run replaces the one that was found; the files of --corpus.
code fewer 1 'units are enough' "$check" -n 3 --detect=-race $draw "$spinlock"
both 'units == 2 and marked == 1'
[ ! -e p.mmd.fewer ] && [ ! -e p.svg.fewer ] || wrong "files are left"
code corpus 1 'drawn in p.svg' "$check" -n 2 --no-shrink --detect=-race --corpus kept $draw "$spinlock"
code kept 1 'drawn in p.mmd' "$check" -n 2 --detect=-race --corpus kept $draw "$spinlock"
both 'marked == 1 and "with ticket 1 the counter is 0" in texts'

# A race: the pair, the order that is missing, what has not arrived. The text names the accesses of the run that is shown.
code race 1 'failed: race: ' "$check" -n 2 --save race.run $draw "$program" race
both 'marked == 1 and missing == 1 and arrows == 2 and late == 1 and "eyot_flush_all(EYOT_REMOTE) by unit 0" in texts'
first=$(grep -n 'first access' "$source/tests/programs/pictures.c" | cut -d: -f1)
second=$(grep -n 'second access' "$source/tests/programs/pictures.c" | cut -d: -f1)
both "texts.replace('\n', ' ').find('1st access of the race: eyot_put_nbi (pictures.c:$first') >= 0 and texts.find('pictures.c:$second') >= 0"
code shrunk 1 . "$check" -n 2 --save shrunk.run "$spinlock"
text=$(printf '%s\n' "$output" | grep 'eyotcheck: failed: ')
code shrunk_again 1 . "$check" --replay shrunk.run
[ "$text" = "$(printf '%s\n' "$output" | grep 'eyotcheck: failed: ')" ] || wrong "another text than that of the search: $text"

# A standstill: each unit that waits, and for what. A crash of a unit.
code stuck 1 'deadlock: no unit can continue' "$check" -n 3 $draw $alone "$program" stuck
both 'marked == 1 and units == 3 and texts.count("still waits in eyot_wait_until for offset 24 == 5, is 0") == 3'
code crash 1 'deadlock' "$check" -n 3 $alone --fault crash:unit=any,op=any $draw "$build/tests/bin/check_fault" leaks
both 'marked == 1 and "crashes" in texts'

# Texts that mean something to the formats; long runs: what leads to the failure, and the number of what is left out.
hostile='<script>alert(1)</script> ]]> -->; %%{init: {}}%% "end" #35; & '"'"'`\n
end'
code hostile 1 'drawn in p.svg' "$check" -n 3 --detect=-race $alone $draw "$program" busy "$hostile"
both '"<script>alert(1)</script> ]]> -->; %%{init: {}}%%" in texts.replace("\n", " ") and "#35; &" in texts and marked == 1'
code long 1 'drawn in p.svg' "$check" -n 5 --detect=-race $alone $draw "$program" busy "$(printf 'x\377y%2000s')"
both 'marked == 1 and units == 3 and "are left out" in texts and "x?y" in texts and "signal 0 → 1" in texts'
mermaid 'lines < 140'

# OpenSHMEM: its calls, and its remedy.
code shmem 1 'failed: race: ' "$check" -n 2 $draw "$build/tests/bin/osh_unordered"
both 'marked == 1 and missing == 1 and "shmem_long_put_nbi" in texts and "shmem_quiet" in texts and "eyot_" not in texts'
both '"put 8 bytes to static \"data\" of PE 1" in texts and "add 1 to static \"flag\" of PE 1" in texts and "not allocated" not in texts'

# Nothing to draw, and what cannot be written.
code none 0 'there is no failing run to draw: p.mmd and p.svg not written' "$check" -n 2 --runs 50 $draw "$spinlock" mended
[ ! -e p.mmd ] && [ ! -e p.svg ] || wrong "a file is written"
code stale 6 'no failing run to draw: p.svg is not written' "$check" --replay shrunk.run --svg p.svg "$spinlock" mended
code folder 2 '--svg: cannot write .*: Is a directory' "$check" -n 2 --svg . "$spinlock"
code nowhere 2 '--mermaid: cannot write nowhere/x: No such file' "$check" -n 2 --mermaid nowhere/x "$spinlock"
code full 2 'cannot write the picture /dev/full: No space' "$check" --replay shrunk.run --svg /dev/full
code same 2 'two files, not twice' "$check" -n 2 --svg p.svg --mermaid p.svg "$spinlock"
code same_report 2 '^eyotcheck: --json and --sarif are the same file, p.json; give --json another one$' "$check" -n 2 --json p.json --sarif p.json "$spinlock"
code mpi 2 'fabric mpi: eyotcheck explores' "$check" --fabric mpi --svg p.svg "$spinlock"
exit $bad
