# SPDX-License-Identifier: BSD-3-Clause
# coll_modes.sh - collectives on global memory in each mode beside the plain function, for the suites
# coll and coll-scale. Printed by coll_modes.awk.

coll_modes_cases() { # BYTES...
  for bytes in "$@"; do
    for pair in broadcast:broadcast gather:gather allgather:gather_all alltoall:exchange; do
      echo "${pair%:*}:$bytes"
      for mode in nosync mysync allsync; do echo "global_${pair#*:}_$mode:$bytes"; done
    done
  done
}

# From a program's cases to lines `mode UNITS FUNCTION BYTES WAY US`.
coll_modes_lines() { # SHAPE
  awk -v shape="$1" '
    BEGIN { plain["broadcast"] = "broadcast"; plain["gather"] = "gather"; plain["allgather"] = "gather_all"; plain["alltoall"] = "exchange" }
    $1 == "case" && $2 in plain { print "mode", shape, plain[$2], $4, "plain", $8 / 1000 }
    $1 == "case" && sub(/^global_/, "", $2) {
      mode = $2
      sub(/.*_/, "", mode)
      sub(/_[a-z]*$/, "", $2)
      print "mode", shape, $2, $4, mode, $8 / 1000
    }'
}
