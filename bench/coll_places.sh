# SPDX-License-Identifier: BSD-3-Clause
# coll_places.sh - the choice of algorithms beside every algorithm, at the places of coll_grid.txt:
# for the suites coll and coll-scale, and for tests/sim/coll_choice.sh.
#
# coll_places GRID FABRIC INFO RUN [SHAPE...] prints, for each shape of the grid (or of those given),
#   want SHAPE FUNCTION BYTES                     a place of the grid
#   may SHAPE FUNCTION BYTES ALGORITHM taken|-    what a call may take, and what it takes, by INFO
#   place SHAPE FUNCTION BYTES HOW NS             one measurement; HOW: `choice`, or an algorithm
# INFO SHAPE ARGUMENTS...: runs eyot-info --coll with them. RUN SHAPE RULES WHAT:BYTES...: runs the
# cases under these rules of EYOT_COLL, and prints lines `case WHAT bytes BYTES units N ..._ns NS`.
# coll_heat.awk makes tables of the lines.

# Algorithms that are measured in one job: no two of them are of one function.
coll_sets="binomial,bruck linear,get multi,nodeagg doubling parts routers direct"

coll_has() { # ALGORITHM: its functions
  case $1 in
    binomial) echo broadcast reduce allreduce gather scatter ;;
    multi) echo broadcast reduce allreduce scan exscan ;;
    doubling) echo allreduce scan exscan ;;
    parts) echo broadcast reduce allreduce scan exscan ;;
    routers) echo reduce allreduce ;;
    bruck) echo allgather ;;
    linear) echo allgather allreduce alltoall scatter ;;
    get) echo gather ;;
    nodeagg) echo allgather alltoall ;;
    direct) echo broadcast reduce allreduce allgather alltoall ;;
  esac
}

# FUNCTION:0-:ALGORITHM ...
coll_rules() { # SET
  for algorithm in $(echo "$1" | tr , ' '); do
    for function in $(coll_has "$algorithm"); do echo "$function:0-:$algorithm"; done
  done
}

# The cases of a shape: FUNCTION:BYTES ...
coll_cases() { # GRID FABRIC SHAPE
  awk -v fabric="$2" -v shape="$3" '
    $1 == fabric && index("," $3 ",", "," shape ",") > 0 {
      n = split($2, function_, ","); m = split($4, bytes, ",")
      for (i = 1; i <= n; i++) for (k = 1; k <= m; k++) print function_[i] ":" bytes[k]
    }' "$1"
}
coll_shapes() { # GRID FABRIC
  awk -v fabric="$2" '$1 == fabric { n = split($3, s, ","); for (i = 1; i <= n; i++) if (!seen[s[i]]++) print s[i] }' "$1"
}

coll_may() { # INFO SHAPE CASE...
  coll_info=$1 coll_shape=$2
  shift 2
  for case in "$@"; do
    echo "want $coll_shape ${case%%:*} ${case#*:}"
    coll_told=$("$coll_info" "$coll_shape" "${case%%:*}" --bytes "${case#*:}") || return 1
    # The elements are integers: of reductions the first of two lists. Buffers are private, so
    # nothing is taken where it is.
    echo "$coll_told" | awk -v at="$coll_shape ${case%%:*} ${case#*:}" '
      /^operators that do not/ { exit }
      $1 == "take" { next }
      /^  / { print "may", at, $1, / taken, / ? "taken" : "-" }'
  done
}

# From a program's cases to places.
coll_measured() { # SHAPE RULES-OR-choice
  awk -v shape="$1" -v rules="$2" '
    BEGIN {
      n = split(rules, rule, "#")
      for (i = 1; i <= n; i++) if (split(rule[i], part, ":") == 3) how[part[1]] = part[3]
    }
    $1 == "case" { print "place", shape, $2, $4, rules == "choice" ? "choice" : how[$2], $8 }'
}

coll_places() { # GRID FABRIC INFO RUN [SHAPE...]
  coll_grid=$1 coll_fabric=$2 coll_info_=$3 coll_run=$4
  shift 4
  [ $# -gt 0 ] || set -- $(coll_shapes "$coll_grid" "$coll_fabric")
  for shape in "$@"; do
    cases=$(coll_cases "$coll_grid" "$coll_fabric" "$shape")
    [ -n "$cases" ] || { echo "coll_places: the grid has no shape '$shape' of $coll_fabric" >&2; return 1; }
    # shellcheck disable=SC2086
    coll_may "$coll_info_" "$shape" $cases || return 1
    # shellcheck disable=SC2086
    lines=$("$coll_run" "$shape" "" $cases) || return 1
    echo "$lines" | coll_measured "$shape" choice
    for set in $coll_sets; do
      # On the simulator no call is direct.
      [ "$set" != direct ] || [ "$coll_fabric" = mpi ] || continue
      rules=$(coll_rules "$set")
      some=$(for rule in $rules; do echo "$cases" | grep "^${rule%%:*}:" || true; done)
      [ -n "$some" ] || continue
      rules=$(echo "$rules" | paste -s -d '#')
      # shellcheck disable=SC2086
      lines=$("$coll_run" "$shape" "$rules" $some) || return 1
      echo "$lines" | coll_measured "$shape" "$rules"
    done
  done
}
