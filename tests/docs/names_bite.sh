#!/bin/sh
# names_bite.sh SOURCE_DIR BUILD_DIR COMPILER - names.sh refuses each wrong name of wrong/wrong.md.
out=$(sh "$1/tests/docs/names.sh" "$1" "$2" "$3" "$1/tests/docs/wrong") && { echo "names_bite: nothing was refused"; exit 1; }
for name in eyot_put_slowly 'option --fabrics' EYOT_HEAP_WEIGHT src/base/hat.h 'link gone.md'; do
  printf '%s\n' "$out" | grep -q -- "$name does not exist" || { echo "names_bite: $name was not refused: $out"; exit 1; }
done
[ "$(printf '%s\n' "$out" | wc -l)" -eq 5 ] || { echo "names_bite: more than five were refused: $out"; exit 1; }
echo "names_bite: ok"
