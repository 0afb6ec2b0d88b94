#!/bin/sh
# memory_growth.sh EYOTRUN PROGRAM - the memory of a unit may not grow with the number of units. What further units add is divided by their number, from 512 to
# 2,048 units and from 2,048 to 8,192, so that what is there once does not count and pools that grow in steps hardly do. A single byte a peer in every unit
# would add 2,560 bytes to the first figure and 10,240 to the second; allowed are LOG_BYTES more for each doubling, for a word or two a level of a tree.
set -u
eyotrun=$1 program=$2
LOG_BYTES=64

allocated() { "$eyotrun" --fabric sim --shared-globals -n "$1" "$program" | sed -n 's/ bytes allocated$//p'; }
few=$(allocated 512) some=$(allocated 2048) many=$(allocated 8192)
[ -n "$few" ] && [ -n "$some" ] && [ -n "$many" ] || { echo "memory_growth: a run failed"; exit 1; }
[ "$few" -gt 0 ] && [ "$some" -gt "$few" ] && [ "$many" -gt "$some" ] || { echo "memory_growth: units cannot cost nothing: the count is wrong"; exit 1; }
small=$(((some - few) / 1536)) large=$(((many - some) / 6144))
echo "memory_growth: bytes a unit: $small up to 2,048 units, $large up to 8,192; allowed $((small + 2 * LOG_BYTES))"
[ "$large" -le $((small + 2 * LOG_BYTES)) ]
