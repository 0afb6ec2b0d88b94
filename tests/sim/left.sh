#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# left.sh BIN_DIR PROGRAM_DIR SANITIZED - memory that a program has not freed at eyot_finalize: a warning and, under eyotcheck, a failure; neither if the program has
# asked for frees_at_end.
bin=$1 programs=$2 sanitized=$3
. "$(dirname "$0")/../support/refuse.sh"
. "$(dirname "$0")/../support/words.sh"
sim="$bin/eyotrun --fabric sim -n 3"

ends left 0 $sim "$programs/heap_asked" left 1024 4096
shows "eyot_finalize: not released before: the memory \(1000 bytes, eyot_team_alloc"
ends leaves 0 $sim "$programs/heap_asked" leaves 1024 4096
lines eyot: 0
ends races 0 $sim --races "$programs/heap_asked" leaves 1024 4096
lines "released" 0
[ -z "$sanitized" ] || exit $bad # eyotcheck takes memory back, a sanitizer's cannot be
ends check_left 1 "$bin/eyotcheck" --runs 3 -n 2 --save /dev/null "$programs/heap_asked" left 1024 4096
shows "leak"
ends check_leaves 0 "$bin/eyotcheck" --runs 3 -n 2 --save /dev/null "$programs/heap_asked" leaves 1024 4096
exit $bad
